import { phrases } from "../grammar.ts";

export const music = phrases(`
  {company} | {company} | {company} Play {Place} | {company}: {Evocative} | {company}: {Evocative} Tour | Songs from {Place} | {company}: Live in {A Object}
  {company}: {Adj} Songs for {Adj} People | {A Adj} {Instrument} | {Instrument} by Candlelight | Lunchtime {Instrument} | {Instrument} & {Instrument}
  The {Instrument} Sessions | {Season} Songs | {company} in Concert | {company}: The {Colour} Album | {Number} Strings and {A Instrument} | Night Music from {Place}
  {Instrument} for {Animals} | Organ Recital: {First} {Surname} | Choral Evensong at {Number} | A Cappella {Food} | Aca{animal} | {company}: {Hour} – A Cappella
  {company}: Ceòl is Còmhradh | Òrain na {Season} | Trad Night at the {Animal} | {Place} Jazz Breakfast | Late {Instrument}, Low Lights | Handbells & {Food}
  Beats, {Objects} & {Instrument} | {Abstract} in D Minor | {company} Sing {A Adj} {Season} | Sunrise {Instrument} | Hymns, Shanties & {Food} | DJ {Object}: Silent {Weekday}
  {company} and the Sound of {Abstract} | Música de la {Cosa} | Chansons sous le {Chose} | {Season} Ragas | {Instrument} Unplugged, {Animal} Plugged In
`);

export const cabaret = phrases(`
  {artist}: {Hour} | {artist}: {Hour} | {artist}: {Hour} | {artist} Sings the {Abstract} Out of You | {artist}'s {Adj} {Object} | The {Adj} {Animal} Club
  Late-Night {Food} | Midnight at the {Animal} | {artist} Is {Adj} and {Adj} | Magic, {Objects} & {Abstract} | {artist}: Mind Reader, {Job} | {artist} Will Read Your {Object}
  {artist} After Dark | Gin, {Food} and {Abstract} | Kiss Me, {Job} | The {Colour} Garter Revue | {Number} Tricks with {A Object} | Burlesque at the {Animal} and {Object}
  {artist}: Divorced, Beheaded, {Adj} | Drag {Food} Brunch | {artist} & Her {Number} {Objects} | Hypnotised by {A Animal} | {artist}: An Intimate Stadium Show
  Songs My {Relation} Warned Me About | {Hour}: A Cabaret | Sword, {Object}, Swallow | {artist}'s Lock-In | The Haunted {Object} | Bingo with {artist} | Le Cabaret du {Chose}
`);

export const spokenWord = phrases(`
  {artist}: Poems for {Adj} People | {artist}: {Evocative} | {artist}: {Hour} | {Evocative}: Poems by {artist} | {Town} Poetry Slam | The {Adj} Slam | Letters to {Place}
  Why {Animals} {Verb} | The Secret Life of {Objects} | {A Brief} History of {Abstract} | {artist} Explains {Abstract} | Open Mic at the {Animal} | Stories from {Place}
  {artist} in Conversation with {A Job} | {Number} Stories About {Food} | True Stories, {Adj} People | {artist}: Storyteller, {Job} | Lies {artist} Told Me | Blethers by the Fire
  What {Animals} Know About {Abstract} | Dear {Abstract}, Love {givenName} | Confessions of {A Job} | {artist}: Odes to {A Object} | Sgeulachdan à {Town} | The Great {Food} Debate
  Unfinished Poems | {Abstract} Is Not a Metaphor | {artist}: The {Season} Notebooks | Mouthful of {Objects} | Haiku for {Animals} 俳句 | Podcast Live: The {Adj} {Object}
`);

export const childrens = phrases(`
  {First} the {Animal} | The {Animal} Who Ate {Place} | The {Animal} Who Couldn't {Doing} | {Number} Little {Animals} | {First} and the {Colour} {Object} | {Noise}! {Noise}! {Animal}!
  Captain {Animal}'s {Object} | Professor {Stage}'s {Adj} Laboratory | The Great {Food} Robbery | Bedtime for {Animals} | Dinosaurs Don't Eat {Food} | Yummy {Food}!
  The {Adj} {Object} | My {Relation} the {Animal} | {First} {Surname}: Kids' Comedy Club | Comedy for Kids Who Hate {Food} | {Animal} Disco | Baby {Animal} Sensory Hour
  The Land of {Adj} {Objects} | Under the {Colour} Blanket | Whose {Object} Is This? | {Animal} in My Welly | {Noise} Goes the {Object} | Big Feet, Small {Animal} | Poo! The {Animal}'s Story
  Magic with {First}: {Number} {Objects} and {a Noise} | Where Do {Objects} Go? | Puppets of {Place} | {First}'s {Adj} Birthday | Sing-along with {Animal} | Am {Animal} Beag | Kid Scientists: {Food} Explodes!
`);

export const events = phrases(`
  {Place} Ghost Walk | {Adj} Walks: {Place} on Foot | {Food} and Whisky: A Tasting | Ceilidh at the {Town} Hall | Life Drawing with {A Animal} | The {Adj} Pub Quiz | {Weekday} Swing Class
  Clowning for {Adj} People: A Workshop | Write {A Object} in an Hour | Silent Disco Through {Place} | Book Swap & {Food} | Knit {A Animal} | Gaelic for {Adj} Beginners
  How to Produce a Show (and {HowTo}) | Sunrise Yoga with {Animals} | The {Adj} Treasure Hunt | {Job} Speed-Dating | The {Town} Games | Improv Workshop: Say Yes to {Food} | Gin & {Instrument}
`);

export const exhibitions = phrases(`
  {Evocative}: Photographs by {person} | {Objects}: New Work by {person} | {Evocative} | {A Object} of One's Own | Portraits of {Animals} | {Colour} / {Colour} | {Place} in {Number} Postcards
  Made in {Place} | The {Adj} Museum of {Objects} | Threads: Tapestries from {Town} | {person}: {Evocative} | Drawing the {Animal} | {Season} Prints | After {Abstract} | {Number} Painters from {Town}
`);

export const otherExtras = {
  verb: phrases(`dance | lie | fall | sing | queue | dream | moult | argue | matter | sulk | win`),
  brief: phrases(`brief | wrong | rude | short | muddy | lopsided | pocket | sideways`),
  noise: phrases(`splat | boing | whoosh | plop | squeak | honk | wibble | clonk | parp | fizz`),
  stage: phrases(
    `Rhubarb | Marzipan | Semolina | Moonboot | Lozenge | Gravy | Pompadour | Papaya | Doily | Tinsel`,
  ),
};
