import { phrases } from "../grammar.ts";

export const otherWarnings = phrases(`
  Strong language/swearing | Contains distressing or potentially triggering themes | Nudity | Scenes of violence | Scenes of a sexual nature | Strobe lighting | Haze/smoke effects | Loud noises
`);

export const ageCategories = phrases(`U (Universal) | PG | 8+ | 12+ | 14+ | 16+ | 18+`);

export const countries = phrases(`
  UNITED KINGDOM | SCOTLAND | ENGLAND | WALES | IRELAND | NORTHERN IRELAND | UNITED STATES | AUSTRALIA | CANADA | NEW ZEALAND | FRANCE | SPAIN | JAPAN | SOUTH KOREA | GERMANY | ITALY | INDIA | SOUTH AFRICA | CZECHIA
`);

export const artistTypes = phrases(
  `Professional company | Semi-professional company | Amateur company | Student company | School company`,
);

/** By genre. */
export const tagsOf: Readonly<Record<string, readonly string[]>> = {
  Theatre: phrases(
    `New writing | Solo show | Drama | Comedy theatre | Verbatim | Immersive | Historical | LGBTQ+ | Puppetry | Physical | Thriller | Storytelling`,
  ),
  Comedy: phrases(
    `Stand-up | Sketch show | Improv | Alternative Comedy | Absurdist | Character comedy | Clown | Musical comedy | Panel | Work in progress | Political | Solo show`,
  ),
  Music: phrases(
    `Folk | Choral | Jazz | Classical | A cappella | World music | Singer-songwriter | Traditional | Electronic`,
  ),
  "Musicals and Opera": phrases(`New musical | Opera | Student | Solo musical | Rock musical | Operetta`),
  "Dance, Physical Theatre and Circus": phrases(
    `Contemporary | Circus | Physical theatre | Clown | Ballet | Acrobatics | Mime`,
  ),
  "Cabaret and Variety": phrases(`Drag | Burlesque | Magic | Variety | Mentalism | Hypnosis | Music`),
  "Spoken Word": phrases(`Poetry | Storytelling | Talk | Slam | Podcast | Lecture`),
  "Children's Shows": phrases(`Puppetry | Magic | Storytelling | Clown | Music | Science | Interactive`),
  Events: phrases(`Workshop | Walk | Tasting | Quiz | Dance | Talk`),
  Exhibitions: phrases(`Photography | Painting | Textiles | Sculpture | Mixed media`),
};
