import { YEAR } from "../../../src/domain/programme.ts";
import { phrases } from "../grammar.ts";

/** First sentences, by genre. */
export const openings: Readonly<Record<string, readonly string[]>> = {
  Comedy: phrases(`
    After {number} years as {a job}, {givenName} is finally telling the truth about {abstract}.
    Join {artist} for an hour of {adj} stand-up about {objects}, {abstract} and being raised by {a job}.
    {artist} moved to {place} for love and stayed for the {food}.
    What do you do when your {relation} marries your {relation}? {artist} has a theory, some slides and {a object}.
    The internet's {adj} {relation} is back with {number} new jokes and one old grudge.
    {givenName} has never won anything. This is the show about that.
    {A adj} hour about turning thirty, turning vegan and turning into your {relation}.
    {artist} has been banned from {place} and would like to explain why.
    Everyone says {givenName} is {adj}. {givenName} has kept a list of their names.
    Last year {artist} got lost in {place} with nothing but {a object}. Here's what happened.
    "Is it really a show if nobody cries?" asks {artist}, who cries easily.
    Jokes about {abstract} & {abstract}. Mostly {abstract}.
    {givenName} bought {a object} at auction. It turned out to contain {a animal}.
    In {month}, {artist} gave up {food}, {abstract} and shouting. Two out of three is not bad.
    {givenName}'s {relation} is {a job}. {givenName}'s other {relation} is also {a job}. It explains a lot.
    New jokes in no particular order from {artist}, a regular at clubs from {place} to {place}.
    At school {givenName} was voted most likely to become {a job}. The reunion is on {weekday}.
    What if the love of your life turned out to be {a animal} person?
    {artist} is thirty-nine and three quarters, single, and very good at parking.
    A true story about a family funeral, {a oddAdj} {animal} and the wrong {object}.
    This is a show about {abstract}. It was going to be about {food}, but {givenName} had a difficult {season}.
    {artist} was raised in {town}, population {number}. Now it is one fewer.
    Ever wondered why {animals} never apologise? {givenName} has, at length, to a paying public.
    {givenName} has a new flat, a new job and the same old {relation}.
    Fast, {adj} and only slightly out of breath: {artist} brings a first full hour to Edinburgh.
    {artist} can't swim, can't cook and can't stop entering competitions.
    The doctor said {givenName} needed a hobby. The hobby said {givenName} needed a doctor.
    An hour of {adj} nonsense from a man, a woman or {a job}, depending who you ask in {town}.
  `),
  "Group comedy": phrases(`
    Sketches, songs and {a object}: {artist} return with their most {adj} hour yet.
    Give us {a job}, {a animal} and somewhere you'd rather not be, and we'll make up the rest.
    {number} comedians, one {oddAdj} microphone, and a different line-up every night.
    You name the {job}, we solve the murder. You name the {food}, we eat it.
    Fresh from {town}, a dozen students sing, shout and fall over in the name of {abstract}.
    Every story in this show is made up on the spot from the contents of your pockets.
    The best of the circuit, and {first} from the box office, in one {adj} hour.
    A quiz, a band and {a animal}. Points are awarded for {abstract}.
    Two old friends, one {object}, and the argument they have been having since {place}.
    A mixed bill of new acts, old hands and somebody's {relation}.
    No script, no set, no idea. {artist} invent a whole {genre} while you watch.
  `),
  Theatre: phrases(`
    {Place}, 1987. {A job} opens the door to {a adj} stranger carrying {a object}.
    When {first} inherits {a object} from {a relation} she never met, the past will not stay put.
    Two neighbours. One {object}. No way out of {place}.
    The {job} hasn't spoken since {month}. Tonight she begins.
    {A adj} new play about {abstract}, {abstract} and the things we carry up the stairs.
    {first} and {first} have been married for {number} years. This morning, one of them has forgotten the other's name.
    Based on true letters found in {a object} in {Town}.
    On the night the ferry stops running, {number} strangers shelter in {a oddAdj} waiting room.
    {first} {surname} has vanished. The only witness is {a animal}.
    What if you could return {abstract} to the shop? {artist} would like a refund.
    In a kitchen in {Town}, three generations of women argue over {a object} and a recipe for {food}.
    It is the last day of the {object} factory, and nobody has told the {job}.
    Part ghost story, part court hearing, this {adj} debut asks who gets to remember {place}.
    A one-woman show about growing up {adj}, growing out of {food} and learning to say no.
  `),
  Music: phrases(`
    Fiddles, {instrument} and close harmony from one of the most {adj} young bands in {Town}.
    An hour of {instrument} music by candlelight, from old hymns to new commissions.
    {artist} bring songs of {abstract}, {place} and the sea to {a adj} old room.
    Thirteen voices, no instruments and far too many key changes.
    Slow airs, fast reels and stories in between. Sit where you like; sing if you know the words.
    From {place} to {place}: a journey in song, with {instrument}, {instrument} and {a oddAdj} loop pedal.
    Lunchtime concerts of around forty minutes. Entry by donation, tea afterwards.
  `),
  "Musicals and Opera": phrases(`
    A new musical about {a job}, {a animal} and the most {adj} summer {Town} ever had.
    {first} dreams of singing. {Town} dreams of silence. Something has to give.
    Sung in English, French and desperation, this pocket opera runs just under an hour.
    When the {job} of {Town} falls in love with the {job}, only {a instrument} can tell the tale.
    Sixteen original songs, {number} actor-musicians and {a object} that steals the show.
    The cast of {artist} return with the folk musical that audiences hummed all the way home.
  `),
  "Dance, Physical Theatre and Circus": phrases(`
    {number} bodies, one {object} and a floor covered in salt.
    A duet about {abstract}, made by {artist} over {number} {season}s in {Town}.
    Astonishing acrobatics, live {instrument} and very little talking.
    They climb, they fall, they apologise. Circus at its most {adj}.
    A wordless comedy for anybody who has ever fought with {a object}.
    Contemporary dance meets {place} folk ritual in this {adj} new work.
  `),
  "Cabaret and Variety": phrases(`
    Slip into something {adj}: {artist} is open for business.
    Sequins, songs and {abstract}, served with a side of {food}.
    Magic, mind-reading and {a oddAdj} {animal}. Volunteers are found, not asked.
    The most {adj} late-night variety in town: a new line-up every evening, hosted by {artist}.
    {artist} sings torch songs for people who are frightened of matches.
    A love letter to cabaret with {number} costume changes and one {oddAdj} wig.
  `),
  "Spoken Word": phrases(`
    Poems about {abstract}, {food} and the number {digits} bus.
    {artist} tells true stories, give or take, about life as {a job}.
    An illustrated talk on the secret history of {objects}.
    A different guest each day: bring your questions and {a object}.
    Old tales from {place} told by the fire, or at least beside a radiator.
    {number} poets, {number} minutes, one {oddAdj} trophy.
  `),
  "Children's Shows": phrases(`
    {first} the {animal} has lost {a object}. Can you help find it before bedtime?
    {A adj} adventure with puppets, songs and a great deal of {food}. Ages 3 to 8.
    Join Professor {stage} for experiments that fizz, pop and occasionally work!
    What do {animals} dream about? Come and find out, and bring your loudest roar.
    Stories, bubbles and cuddly chaos for under-fives and their grown-ups.
    The comedy club where the hecklers are seven years old and usually right.
  `),
  Events: phrases(`
    Meet at the top of {Street} with sensible shoes and an open mind.
    A relaxed workshop for {adj} people. No experience needed, {food} provided.
    Taste {number} whiskies with {a job} who will not stop talking about them.
    Two hours of ceilidh dancing with a caller and a live band. All dances are taught.
  `),
  Exhibitions: phrases(`
    Portraits of {animals} and the people who love them.
    New paintings from {Town}, made between two {season}s with borrowed brushes.
    {number} photographers look at {place} after dark. Free; drop in at any time.
    Textiles, found {objects} and a room that hums when you leave.
  `),
};

/** Further sentences, by genre; any show may also draw on those of `descriptionParts.middle`. */
export const middles: Readonly<Record<string, readonly string[]>> = {
  Comedy: phrases(`
    {givenName}'s {relation} has asked us to say that none of this is true.
    Along the way there are {objects}, a missing {animal} and a phone call that {givenName} should never have answered.
    Includes the routine about {food} that was cut from television for being about {food}.
    Like a wedding speech, if the best man were your {relation} and had been at the sherry.
    There are charts. There is a song. There is no dignity.
    Is it stand-up? Is it therapy? It is cheaper than therapy.
    A show for anyone who has ever pretended to understand {abstract}.
    Think of it as {a adj} group chat with better lighting.
    Some of it is new. All of it is true. Most of it is about {food}.
    As heard on absolutely no podcasts.
    {givenName} will be testing jokes, so please be {adj}.
    Finally, {a adj} answer to the question "have you eaten?"
  `),
  Theatre: phrases(`
    A story about {abstract} – and what comes after.
    Told in real time, with a single chair and a soundtrack of rain.
    Directed by {first} {surname}, with music by {first} {surname}.
    What follows is {a adj} reckoning with {abstract}, class and inheritance.
    As the tide rises, so do the questions. Who was {first}? Who paid for the {object}?
    With a cast of {number}, original folk songs and {a oddAdj} {object}.
    Drawn from interviews with {number} people who live on the same street in {town}.
    By turns {adj} and {adj}, it asks what we owe the people who raised us.
    The play moves between {place} and the {object} factory, between 1962 and this morning.
    Nobody is innocent. Nobody is leaving. Somebody has hidden the key.
    Performed in English and Scots, with Gaelic song.
    It is a play about {abstract} that never uses the word.
    First staged in a school gym in {town}, it arrives with its original cast.
  `),
  Music: phrases(`
    The programme includes new arrangements by {first} {surname}.
    Featuring {instrument}, {instrument} and a choir of {number}.
    Expect foot-stamping, close listening and one waltz.
    Their third album, recorded in {a oddAdj} chapel near {town}, is out this {season}.
    A different programme each day; see the door for details.
    Formed in a kitchen in {place}, the group has been playing together for {number} years.
  `),
  "Children's Shows": phrases(`
    Featuring puppets, live {instrument} and very silly hats.
    There are songs to join in with, and a quiet corner for those who would rather watch.
    Prams can be left in the foyer. Wellies can be left on.
    Lots of chances to get up, wiggle and roar.
    Made with help from {number} real children in {town}.
    Warning: may contain {food}, bubbles and bottoms.
  `),
};

export const descriptionParts = {
  middle: phrases(`
    Expect {abstract}, {food} and at least one {oddAdj} {object}.
    Winner of the {Town} New {evKind} Award, {year}.
    Following a sold-out run in {place}, it comes to Edinburgh with a new ending.
    It is {adj}, it is {adj}, and it has {a animal} in it.
    It finds something {adj} to say about {abstract}, and something rude to say about {food}.
    There will be {food}. There may be {abstract}. There will certainly be {a object}.
    For anyone who has loved {a job}, lost {a object} or lived above {a animal}.
    Written during {number} night shifts in {place}.
    Featuring live {instrument}, shadow puppets and {a oddAdj} {object}.
    With a cast of {number} and the budget of {a object}.
    "I laughed, then I rang my {relation}," wrote one listener in {place}.
    Developed with the support of {Town} Arts Centre and {number} patient neighbours.
    You'll laugh, you'll wince, you'll never look at {a object} in the same way again.
    Not suitable for {animals}.
    It's about class, it's about {place}, it's about an hour.
    No two performances are the same, and at least one of them is good.
    Come for the {instrument}; stay because the door sticks.
    {artist} have been making work together since a chance meeting in {place}.
    The title is the most sensible thing about it.
    Supported by a crowd-funder, a bake sale and {a job} who wishes to remain anonymous.
    A late addition to the programme, and a welcome one.
    After last year's run was cut short by {a animal}, here is the whole thing.
    Do not come for the plot. Do not come for the seats.
    From the makers of '{Evocative}' and '{Verbing} the {Object}'.
    Tickets are going faster than {a oddAdj} {animal}.
    All profits go to a home for {oddAdj} {animals}.
    It is warm, it is strange, and it is over before the last bus.
    A hit in {place}, a mystery in {place}.
    If you only see one show about {abstract} this year, you are lucky.
    An invitation to sit in the dark with strangers and think about {abstract}.
    Half history lesson, half {food}.
    Somewhere, {a job} is weeping. Come and find out why.
  `),
  press: phrases(`
    "{Adj}, {adj} and wickedly {adj}" (The Lantern & Wynd).
    ★★★★ "{A adj} joy" – Fringe Ferret
    ★★★★★ (Quill Street Gazette)
    ★★★★★ (Haar Magazine) ★★★★ (Three Closes)
    "The most {adj} hour on the hill" – Tollbooth Review
    "I have seen {number} shows about {abstract}. This is one of them" (Haar Magazine).
    'Unmissably {adj}' **** (Three Closes)
    "Go, and take your {relation}" (The Daily Thrumble).
    "A name to remember" – The Daily Thrumble
    "I was asked to leave" ★★ (Fringe Ferret)
    Shortlisted for the {Town} Cup {year}.
    "As {adj} as it is {adj}" – The Netherclough Echo
  `),
  practical: phrases(`
    Audience participation is encouraged but never forced. | Nobody will be picked on. Probably. | Front rows may get wet. | Latecomers will be part of the show.
    Relaxed performance on the {nth}. | No performances on Mondays. | Please note the steep stairs. | Pay what you can on the way out. | Running time includes an argument.
    Bring a spoon. | The audience chooses the ending. | Captioned on the {nth} and the {nth}. | Contains {abstract} & haze. | Two-for-one on the {nth}. | Babies welcome. | 18+ only: you have been warned.
    Tickets are limited to {number} a night. | Tìoraidh! | You need not say a word. | You will be asked for a word, a place and your worst {food}.
  `),
  evKind: phrases(`Writing | Comedy | Voices | Theatre | Talent | Dance`),
  year: phrases(`2019 | 2021 | 2022 | 2023 | 2024`),
  digits: phrases(`8 | 16 | 22 | 27 | 44`),
  nth: phrases(`4th | 7th | 9th | 12th | 14th | 18th | 19th | 21st`),
};

/** Ends of a tag line that some shows carry as sub-title. */
export const subTitles = phrases(`
  {A adj} hour of {abstract} | Work in progress | {Hour} | With live {instrument} | A play in {number} {objects} | Preview | Based on a true {object} | New for ${YEAR} | {Number} {objects}, no interval
`);
