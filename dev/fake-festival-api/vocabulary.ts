import type { Grammar } from "./grammar.ts";
import { comedyExtras, comedyParts } from "./words/comedy-titles.ts";
import { common } from "./words/common.ts";
import { descriptionParts } from "./words/descriptions.ts";
import { otherExtras } from "./words/other-titles.ts";
import { firstNames, surnames } from "./words/people.ts";
import { venueParts } from "./words/places.ts";
import { stageExtras, stageParts } from "./words/stage-titles.ts";

export const vocabulary: Grammar = {
  ...common,
  ...comedyParts,
  ...comedyExtras,
  ...stageParts,
  ...stageExtras,
  ...otherExtras,
  ...venueParts,
  ...descriptionParts,
  first: firstNames,
  surname: surnames,
  person: ["{First} {Surname}"],
};
