import { type ReactNode, useId } from "react";
import { type Answer, answers } from "../../domain/review.ts";
import { options } from "./review-texts.ts";

interface AnswerFieldProps {
  answer: Answer;
  onChange: (answer: Answer) => void;
  /** What there is to know before answering. */
  children?: ReactNode;
}

/** The question, and the three answers with what they mean. */
export function AnswerField({ answer, onChange, children }: AnswerFieldProps) {
  const noteId = useId();
  return (
    <fieldset className="review-answers" aria-describedby={children ? noteId : undefined}>
      <legend>Did this show involve audience interaction?</legend>
      {children && (
        <p id={noteId} className="review-earlier">
          {children}
        </p>
      )}
      {answers.map((option) => (
        <Option key={option} answer={option} chosen={option === answer} onChoose={() => onChange(option)} />
      ))}
    </fieldset>
  );
}

function Option({ answer, chosen, onChoose }: { answer: Answer; chosen: boolean; onChoose: () => void }) {
  const id = useId();
  const { label, meaning } = options[answer];
  return (
    <div className="review-answer" data-answer={answer}>
      <input
        type="radio"
        id={id}
        name="audience_interaction"
        value={answer}
        checked={chosen}
        onChange={onChoose}
        // Enter opened the dialog; pressed once too often, or held, it must not send a review that nobody has filled in.
        onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        aria-describedby={`${id}meaning`}
      />
      <label htmlFor={id}>{label}</label>
      <p id={`${id}meaning`}>{meaning}</p>
    </div>
  );
}
