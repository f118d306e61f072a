import { phrases } from "../grammar.ts";

export const stageParts = {
  evocative: phrases(`{Ev1}{ev2} | {Ev1}{ev2} | {Ev1}{ev2} | {Ev3}`),
  ev1: phrases(
    `salt | ash | tinder | hollow | winter | moth | slack | copper | fallow | under | thorn | glass | lamp | marrow | bone | silt | owl | chalk | night | honey`,
  ),
  ev2: phrases(
    `marsh | line | year | house | mouth | light | song | fall | water | ward | hour | break | stair | wake | field | tide | skin | ground | wren | bell`,
  ),
  ev3: phrases(`
    undertow | aftermath | heirloom | ballast | drift | ember | hinterland | solstice | threshold | quarry | murmuration | brine | relic
    hush | tether | flotsam | lacuna | ferment | static | fathom | kindling | scaffold | vertigo | understudy | palimpsest | gloaming | haar
  `),
  verbing: phrases(`
    burying | feeding | forgetting | inheriting | remembering | mending | losing | leaving | selling | stealing | translating | waking
    drawing | counting | catching | painting | haunting | rehearsing | unmaking | folding
  `),
  howTo: phrases(`
    bury a piano | leave a party | forgive a house | hold your breath | catch a falling aunt | steal a river | say goodbye in Morse
    build a boat from letters | eat a telephone | survive a wedding | love a lighthouse | disappear politely | be a good ghost
    fold a map | outlive your dog | keep bees in a flat | cross a border with a cake | break a curse on a budget | ask for help
  `),
  heroine: phrases(
    `{First} | {First} {Surname} | the {job} | the {job}'s daughter | my {relation} | the girl from {town} | the man who sold {place}`,
  ),
  clause: phrases(`
    we swam until {month} | nobody told the {animals} | the sea came up the stairs | I was never in {place} | everyone was {adj} | it rained on {weekday}
    the {job} lied | my {relation} kept the {object} | they closed the {object} factory | the lights went out in {place} | I read your letters
  `),
};

export const theatre = phrases(`
  {Evocative} | {Evocative} | {Evocative} | {Evocative} | The {Evocative} | The {Adj} {Job} | The {Job}'s {Object} | {Verbing} {Heroine}
  {Verbing} the {Object} | {Verbing} {Abstract} | How to {HowTo} | How Not to {HowTo} | {Number} Ways to {HowTo} | {Heroine} and the {Object}
  {Heroine}, {Heroine} and {A Object} | {First} & {First} | {First} | {First} and {First} Are {Adj} | Dear {First} | The Ballad of {First} {Surname}
  The {Adj} Life of {First} {Surname} | The Last {Job} in {Place} | The Last {Animal} | {A Adj} {Relation} | {A Adj} Sort of {Abstract}
  {Weekday}, After the {Object} | {Month} in {Place} | {Place}, {Month} | {Place} | Our {Relation} of {Place} | When {Clause} | The Day {Clause}
  Before {Clause} | {Object} | {A Object} for {First} | {Number} {Objects} | {Number} {Animals} in {Place} | {Abstract} and {Abstract}
  {Abstract} Is {A Adj} {Animal} | Against {Abstract} | All the {Adj} {Objects} | The {Object} Museum | The {Colour} {Object} | {Colour}, {Colour}, {Colour}
  Room {n} | Platform {n} | Letters to {A Job} | {A Job} Walks Home | I, {Job} | My {Relation} Is {A Animal} | Who Killed {First} {Surname}?
  {Evocative} (or, How to {HowTo}) | {Evocative}: {Play} | {First}: {Play} | Waiting for the {Object} | {Object}/{Object} | {Heroine}'s {Season}
  The Trial of {First} {Surname} | {First} {Surname} Does Not Exist | {First} {Surname} Saves the World (Again) | The {Town} {Objects} Scandal
  Please Don't Feed the {Job} | No {Animals} Were Harmed | Ghosts of {Town} | The House on {Colour} Street | {Evocative}, {Evocative} | {Adj} Bodies
  We Were {Adj} in {Place} | Everything I Know About {Abstract} I Learned from {A Animal} | Conversations with {A Object} | This Is Not {A Object}
  {Relation} | {Relation} Tongue | Half of {First} | Girl with {A Object} | Man, Woman, {Animal} | 'Til {Clause} | {Season} People | What the {Animals} Heard
  La {Cosa} | Le {Chose} | {Ding} | Una {Cosa}, Dos {Cosa}s | L'Été à {Town} | Oidhche Mhath, {First} | An Taigh {Colour} | 雨の{Town}
`);

export const dance = phrases(`
  {Evocative} | {Evocative} | {Evocative} | [{Evocative}] | {Evocative} / {Evocative} | {Evocative}+{Evocative} | {Abstract} Study No. {n}
  BODY.{Object}.BODY | {A Adj} Weight | {Colour} | {Colour} on {Colour} | {Number} Bodies, {Number} {Objects} | {company}: {Evocative}
  {company}: {Abstract} | Circus of {Adj} {Objects} | The {Adj} Trapeze | {Object} on a High Wire | {Animal}, Falling | Fall, {First}, Fall
  {A Object} in Mid-Air | Upside {Evocative} | {Place}: {Dance} in {Number} Rooms | {Abstract} (Duet) | {Chose} | Cirque {Chose} | {Ding}
  Acro{animal} | Knees, Elbows, {Abstract} | {Evocative} – {Evocative} – {Evocative} | Flamenco de la {Cosa} | 影 {Evocative}
  How to {HowTo} (Without Words) | {Number} Clowns in {A Object} | The {Adj} Tumblers of {Town} | Juggling {Abstract} | Kathak and {Object}
`);

export const musicals = phrases(`
  {Object}! The Musical | {Animal}! A Musical | {Job}: A New Musical | {Heroine}: The Musical | {Heroine}: A New Musical | {Evocative}: A Folk Musical
  {Place}, {Place}: The Musical | {Evocative} | The {Adj} {Job} (A Musical) | {Town} Operatic: The {Job} of {Town} | {Heroine} – An Opera in {Number} {Objects}
  {Abstract}! | {Abstract}: {A Genre} Musical | {First} & {First}: A Love Story with Songs | The {Adj} Opera of {Abstract} | Pocket Opera: The {Job}'s {Object}
  The {Object} Song Cycle | {A Job} Sings | One Night in {Place} | The {Town} Sound | Sing, {First}, Sing! | The Wedding of {First} {Surname}
  {Number} Songs for {A Animal} | Operatic {Objects} | {Season} of the {Animal} | Escape from {Place}: An Actor-Musician Adventure | La {Cosa}: A Zarzuela
`);

export const stageExtras = {
  play: phrases(
    `a play | a ghost story | a love story | a reckoning | a comedy | a monologue | a true-ish story | an elegy`,
  ),
  dance: phrases(`a dance | a solo | an installation | a procession | a rehearsal`),
  n: phrases(`1 | 2 | 3 | 4 | 5 | 7 | 9 | 12 | 13 | 17 | 22 | 39 | 41 | 66 | 101 | 204`),
};
