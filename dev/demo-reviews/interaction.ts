import type { Interaction } from "../../src/domain/review.ts";
import type { Random } from "../fake-festival-api/random.ts";

type Shares = Readonly<Record<Interaction, number>>;

/** In percent. */
const interactionOf: Readonly<Record<string, Shares>> = {
  Theatre: { no: 78, very_little: 15, yes: 7 },
  Comedy: { no: 28, very_little: 40, yes: 32 },
  Music: { no: 66, very_little: 30, yes: 4 },
  "Musicals and Opera": { no: 76, very_little: 21, yes: 3 },
  "Musical and Opera": { no: 76, very_little: 21, yes: 3 },
  "Dance, Physical Theatre and Circus": { no: 70, very_little: 19, yes: 11 },
  "Cabaret and Variety": { no: 8, very_little: 25, yes: 67 },
  "Spoken Word": { no: 50, very_little: 35, yes: 15 },
  "Children's Shows": { no: 5, very_little: 23, yes: 72 },
  Events: { no: 4, very_little: 16, yes: 80 },
  Exhibitions: { no: 86, very_little: 9, yes: 5 },
};
const unknownGenre: Shares = { no: 50, very_little: 30, yes: 20 };
const participatory: Shares = { no: 2, very_little: 8, yes: 90 };
const titleOfParticipation = /improv|hypnoti|quiz|workshop|immersive|bingo|ceilidh|mind reader|slam/i;

/** In percent: most reviewers agree. */
const ratingsOf: Readonly<Record<Interaction, Shares>> = {
  no: { no: 86, very_little: 11, yes: 3 },
  very_little: { no: 19, very_little: 68, yes: 13 },
  yes: { no: 4, very_little: 17, yes: 79 },
};

export function inventInteraction(
  show: { title: string; genre: string | null },
  random: Random,
): () => Interaction {
  const shares = titleOfParticipation.test(show.title)
    ? participatory
    : (interactionOf[show.genre ?? ""] ?? unknownGenre);
  const interaction = draw(shares, random);
  return () => draw(ratingsOf[interaction], random);
}

function draw(shares: Shares, random: Random): Interaction {
  return random.weighted<Interaction>([
    ["no", shares.no],
    ["very_little", shares.very_little],
    ["yes", shares.yes],
  ]);
}
