import { answerLabels, answers, reviewCount, type Tallies } from "../reviews/review.ts";

/** How many reviews gave each answer, as numbers and as bars that show their part of all. */
export function TallyRow({ tallies }: { tallies: Tallies }) {
  const total = reviewCount(tallies);
  return (
    <ul className="tallies">
      {answers.map((answer) => (
        <li key={answer} data-answer={answer}>
          <span className="tally-count">{tallies[answer]}</span>{" "}
          <span className="tally-label">{answerLabels[answer]}</span>
          <svg className="tally-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
            <rect width={percentage(tallies[answer], total)} height="1" />
          </svg>
        </li>
      ))}
    </ul>
  );
}

/** To a tenth: finer would not be seen. */
function percentage(part: number, whole: number): number {
  return Math.round((part / whole) * 1000) / 10;
}
