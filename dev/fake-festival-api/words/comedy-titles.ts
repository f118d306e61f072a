import { phrases } from "../grammar.ts";

export const comedyParts = {
  hour: phrases(`
    {hourMade} | {hourMade} | {hourMade} | {hourMade} | {hourReady} | {hourReady} | {hourReady}
  `),
  hourMade: phrases(`
    {Adj} {Object} | {Adj} {Animal} | {A Adj} {Job} | {Object} Energy | Notes on {Abstract} | {Abstract} for Beginners | Mostly {Adj}
    Not {Adj} | Almost {Adj} | {Adj} at Parties | {Adj} but {Adj} | {Adj}, {Adj}, {Adj} | {A Object} of My Own | Big {Food} | {Food} Weather
    {Food} for One | Live, Laugh, {Food} | The {Abstract} Tour | Too {Adj} to {Doing} | {Doing2} | {Doing2} in {Place} | My {Relation}'s {Object}
    My {Relation} the {Job} | Sorry About the {Object} | Mind the {Animal} | {Animal} in Chief | Peak {Animal} | Emotional {Objects}
    Allegedly {Adj} | {Adj} by Name | {A Animal} Walks Into {A Object} | {Number} {Objects} and {A Animal} | {Weekday} Person
    Nobody's {Job} | Nobody's {Animal} | Professional {Relation} | {Object} of the Year | Full {Food} | All {Food}, No {Food} | {Colour} Flag
    Somebody's {Relation} | Born in {Place} | Banned from {Place} | Big in {Place} | {Place} Calling | The {Place} Years | {A Adj} Lot
    Bring Back the {Object} | Never Trust {A Animal} | {Month} Again | Half {Animal} | Crowd {Object} | Who Brought the {Food}?
    Is This Your {Object}? | {Adj} Until Proven {Adj} | Yes, {Job} | Oh No, {A Animal} | Please Hold the {Object} | {Abstract}, Actually
  `),
  hourReady: phrases(`
    Soft Landing | Nearly There Now | Reply All | Your Call Is Important to Us | Terms & Conditions | Unskippable | Weak at the Knees
    Handle with Cardigan | Plus One | Contains Scenes | Low Battery | As Seen on Nothing | Buffering | Loose Change | Off-Peak | Tall Order
    Small Plates | Previously Loved | Sensible Shoes | Nice Try | Have You Tried Turning It Off? | Delete After Reading | Read Receipt
    Kind Regards | Warm Regards | No Regards | Per My Last Email | Out of Office | Last Orders, Please | Second Draft | First Refusal
    Unaccompanied Minor | Middle Seat | Window Seat | Extra Legroom | Checked Baggage | Rail Replacement | Bus Gate | Ring Road
    Cheap Therapy | Not Enough Chairs | It's Giving Geography | Hot Minute | Cold Tea | Milk in First | Absolute Unit of Measurement
    Good Egg, Bad Egg | Chin Up, Knees Down | Main Character's Flatmate | Side Salad | Big Light | The Big Shop | Meal Deal | Bag for Life
    Soup of the Day | Nobody Asked | Somebody Had To | Well, This Is Awkward | Fine. Thanks. You? | Still No | Also Me | Me Again
    In My Defence | On Reflection | With All Due Respect | Without Wishing to Brag | To Whom It May Concern | Yours Faithfully-ish
    Wobble | Gubbed | Scunnered | Blether | Glaikit | Numpty | Haver | Crabbit | Drookit | Peely-Wally | Shoogle | Swither
    Kintsugi Heart 金継ぎ | Je Ne Sais Quoi Faire | Qué Será, Sarah | Pas de Bother | Mañana, Probably | C'est La Vie, Pal
    Recovering Prefect | Gifted Child, Tired Adult | Late Bloomer, Early Bedtime | High-Functioning Houseplant | Tiny Wins
    I <3 Admin | Ctrl+Alt+Defeat | 404: Joke Not Found | 100% That Niche | 50/50 | 3 a.m. Thoughts at 3 p.m. | £12.50 | 6'1" on a Good Day
  `),
  doing: phrases(`
    swim | retire | apologise | dance | park | camp | flirt | haggle | cook | drive | drown | queue | juggle | date | sulk | moult | garden
  `),
  doing2: phrases(`
    queueing quietly | falling upwards | crying in public | losing the receipt | dating the weather man | parallel parking | leaving early
    arriving late | overthinking lunch | eating standing up | asking for a friend | moving back home | whispering loudly | failing sideways
    winning the raffle | ghosting my dentist | being normal | breathing manually | pretending to ski | talking to pigeons | raising the baby
    skating on soup | minding my own business | breaking even | bluffing | dithering | growing sideways | sleeping diagonally
  `),
};

export const soloComedy = phrases(`
  {artist}: {Hour} | {artist}: {Hour} | {artist}: {Hour} | {artist}: {Hour} | {artist}: {Hour} | {artist}: {Hour} | {artist}: {Hour}
  {artist} – {Hour} | {artist} – {Hour} | {artist} - {Hour} | {artist} in '{Hour}' | {artist} Presents: {Hour} | {Hour} | {Hour} | {Hour}
  {artist}: {Hour} (Work in Progress) | {artist}: Work in Progress | {artist} – WIP | {artist}: {Hour} (WIP) | {Hour} with {artist}
  {artist} Is {Adj} | {artist} Has {A Object} | {artist} Will {Doing} for {Food} | {artist} vs {Abstract} | {artist} Against the {Animals}
  {artist} and the {Adj} {Object} | {artist} Does Not Recommend {Place} | {givenName}'s {Adj} {Abstract} Hour | {artist}: {Hour} (and {A Animal})
  {artist}: The {Adj} One | {artist}: Live from {Place} | {givenName} {Doing2} | {artist} Reads Your {Weekday} Horoscope | {artist}: So You Want to Be {A Job}?
  {artist} Asked for {A Window} Seat | {artist}: {Hour} & Other {Objects} | {artist}: {Number} Jokes About {Food} | Dr {artist} Will See You Now
  {artist}: {Hour}!! | {artist} Tells {Number} Lies and {A Truth} | {artist}: An Audience of One | Who Is {artist}? | {artist} (Not That One)
`);

export const groupComedy = phrases(`
  {troupe}: {Hour} | {troupe}: {Hour} | {troupe} | {troupe} Go to {Place} | {Hour} | The {Adj} {Animal} Comedy Club | Late-Night {Food} Comedy
  The Completely Improvised {Job} | Improvised {Genre}! | {troupe}: An Improvised {Genre} | {Number} Comics, One {Object} | The {Place} Comedy Hour
  {Number} Jokers and {A Animal} | Free Laughs at {Weekday} Lunchtime | {Person} & {Person}: {Hour} | {Person} and {Person} Share {A Object}
  {Person}, {Person} and {Person}: {Hour} | {Weekday} Night at the {Animal} and {Object} | Lunchtime {Food}: A Mixed Bill | {Hour}: A Sketch Show
  {troupe} Present: {Hour} | Stand-Up in {A Object} | The {Adj} Panel Show | Comedians Reading Their {Relation}'s Letters | Roast of the {Animals}
  Nerds, {Animals} & {Objects} | Gagging for {Food} | {Object} Wars: The Comedy Quiz | You Choose the {Object}! | Chortling Through {Abstract}
  Jokes in a Language You Don't Speak | Science Jokes for {Animals} | The {Colour} Bus of Comedy | Best of the {Adj} {Animals} | {Town} Revue: {Hour}
`);

export const comedyExtras = {
  genre: phrases(
    `opera | murder mystery | soap | western | nativity play | heist | period drama | musical | disaster film | bake-off`,
  ),
  window: phrases(`window | middle | better | heated | cheaper`),
  truth: phrases(`truth | half-truth | confession | receipt`),
};
