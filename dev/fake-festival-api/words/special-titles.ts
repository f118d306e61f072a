import { phrases } from "../grammar.ts";

/** Titles with 120 to 200 characters. */
export const longTitles = phrases(`
  Please, {First}, Come Home: All Is Forgiven, the {Object} Has Been Replaced, Your {Relation} Has Stopped Shouting and Nobody in {Town} Talks About the {Animal} Any More
  We Regret to Inform You That Tonight's Performance of {Evocative} Has Been Replaced by {A Job}, {A Animal} and {A Adj} Conversation About {Abstract}
  {Town}, {Month}: In Which {First} {Surname} Loses {A Object}, Finds {A Animal}, Marries {A Job} and Discovers the True Price of {Food}
  My {Relation} Went to {Place} and All I Got Was This {Adj} Sense of {Abstract}, {A Object} and {Number} Slightly Different Versions of the Same Story
  {First} {Surname} and the Curious Affair of the {Adj} {Object}, the {Animal} of {Town} and the {Job} Who Never Came Back: A True Story with Songs, Slides and a Short Interval
  The Entirely Accurate and Only Slightly {Adj} History of {Place}, as Told by {A Job}, {Number} {Animals} and Whoever Happens to Be Sitting in the Second Row
  How My {Relation} Sold {A Object} to {A Job} in {Place} and What Happened to the Money (Including the Part That We Promised Never to Talk About)
  {Number} {Adj} People Attempt to Explain {Abstract} Using Nothing but {Objects}, {Animals} and the Works of the Late, Great {First} {Surname} (In Under an Hour)
  Everything You Always Wanted to Know About {Abstract} but Were Too {Adj} to Ask {A Job}: An Illustrated Lecture with {Food}, Questions and No Answers Whatsoever
  {A Adj} Evening of {Abstract}, {Food} and {Instrument} Music in the Company of {Person}, {Person}, {Person} and a Surprisingly Large {Animal} Called {First}
`);

/**
 * The oddities of the real programme's titles: the shortest and the longest, signs that look like HTML,
 * entities, emoji, scripts, quotes, white space.
 */
export const specialTitles: readonly string[] = [
  "Ewe",
  "Och",
  "Hum",
  "4am",
  "The Compleat and Unabridged Proceedings of the Lower Pockle Amateur Operatic and Lawn Bowls Society, as Minuted by Its Long-Suffering Cellist and Set to Music Against the Express Wishes of the Members",
  "I <3 Leith",
  "Mum <3 Dad < Dog",
  "5 > 4: A Maths Musical",
  "<Insert Title Here>",
  "Wit &amp; Widows",
  "Gin &amp; Chronic",
  "It&rsquo;s Fine, I&rsquo;m Fine",
  "Brother&#039;s Keeper of Bees",
  "Caf&eacute; Chagrin",
  "Before &ndash; After",
  "Q&A & R&B & B&Bs",
  "Crab Season 🦀",
  "🎪 Big Top, Small Budget 🎪",
  "Sorry Not Sorry 🙃 (But Also Sorry 😬)",
  "Family Recipe 👩‍👩‍👧‍👦",
  "Wha's Like Us? 🏴󠁧󠁢󠁳󠁣󠁴󠁿",
  "“Quote Unquote”",
  "'Straight' Talking",
  "She Said, “He Said, ‘They Said’”",
  "Don't Say 'Don't'",
  'The "Good" Scissors',
  "Off—Off—Off",
  "1923–1946: A Marriage",
  "Semi – Detached",
  "100% Wool",
  "100%_Genuine\\Fake",
  "_untitled_",
  "Null",
  "undefined",
  "'; Drop the Curtain; --",
  "{Curly}",
  "A/S/L",
  "C:\\>Hello",
  "SHOUT!",
  "lower case only, thank you",
  "...",
  "???",
  "Naïve Façade: À la Recherche du Bus Perdu",
  "¿Quién Tiene el Mando?",
  "Señor Sueño y la Cigüeña Pequeñísima",
  "Mo Chridhe 's an Cuan",
  "Là Breagha, Droch-Oidhche",
  "Œuvre d'Œuf",
  "さかなの夜 (Night of the Fish)",
  "お茶とスコーン – Tea & Scones",
  "Über Brücken über Brücken",
  "Żółta Łódź",
  "Smørrebrød for Én",
  "Ça Va? Ça Va. Ça Va!",
  "  Two Spaces Before",
  "One Space After ",
  "\tTabbed Out",
  "Line Feed at Closing Time\n",
  "\u00a0Unbroken\u00a0",
  "Mind  the   Gaps",
  "£1 or €1 or $1 (or 1¢)",
  "½ a Man, ¾ an Hour",
  "H₂Oh No",
  "E=mc², Probably",
];
