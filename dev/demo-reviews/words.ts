import type { Interaction } from "../../src/domain/review.ts";
import { type Grammar, phrases } from "../fake-festival-api/grammar.ts";

/** First sentences: how much interaction there was. */
export const verdicts: Readonly<Record<Interaction, readonly string[]>> = {
  no: phrases(`
    Nobody gets picked on. | No interaction at all. | You can sit {anywhere} and be left in peace. | Fourth wall stays up from start to finish. | Not a word to the audience.
    Sat {anywhere} and never felt watched. | The lights stay down on us throughout. | Safe for the shy! | Nothing to dread here. | I checked because I hate being picked on: they never look at the audience.
    Just sit back and listen. | Zero. Bliss. | Traditional staging, no surprises. | None, apart from the applause at the end. | You could knit through it and nobody would mind.
    Someone in the front row sneezed and that was the most interaction all night. | No volunteers, no questions, no eye contact. | Went with my very anxious {friend}, who relaxed after {minutes}.
    Completely safe, even in the front row. | It's straight through, no chat. | They talk to the audience as a character but nobody has to answer. | Not interactive, whatever the poster says.
    The seats are raked and dark, you are invisible. | If you don't want to be spoken to, this one is for you.
  `),
  very_little: phrases(`
    A bit of clapping along, that's all. | They ask the front row where they are from, then move on. | We all had to shout one word, together. | A quick show of hands at the start. | One person was asked their name. That's it.
    Some chat with the front row but kind. | You may get waved at. | A little call and response, easy to sit out. | Somebody held a prop for ten seconds. | Front row gets a question or two, the rest of us were safe.
    A bit of eye contact in the small room. | Clapping and a cheer, nobody singled out. | Asked "anyone from {town}?" and then went on anyway. | A sweet was thrown at me. I caught it. | Mild. You can shake your head and they leave you alone.
    One sing-along chorus. | They hand out slips of paper on the way in; you can leave yours blank. | A latecomer got a comment. | There was one bit with volunteers but they really were volunteers. | Raise your hand if you like, I did not.
    They greet everybody at the door in character, after that nothing. | Only clapping, and they asked nicely.
  `),
  yes: phrases(`
    Front row beware! | Got pulled up on stage. | I was picked on for {minutes}. | You WILL be spoken to in the first three rows. | They ask for volunteers and then choose whoever looks away. | My {friend} ended up on stage wearing a {prop}.
    Lots! People dancing in the aisles by the end. | The whole show is made from what the audience shouts. | Everybody gets a job to do. | Nobody was safe, not even the back row. | I held a {prop} for {minutes} and had to sing.
    If you hate being picked on, this is not for you. If you like it, sit {front}. | They come right into the audience. | Three people were brought up, one of them twice. | I told them my job and it became the running joke.
    They read out my messages (with permission). | Was asked very personal questions, in a funny way, but still. | Interactive from the queue to the exit. | We were split into teams. | They sit on laps. You have been warned.
    My {friend} had to marry a stranger. | Hugged by a performer, asked first. | Proper participation: {prop}, blindfold, the lot. | Sat at the back on purpose and still got chosen.
  `),
};

export const verdictsOf: Readonly<Record<string, Partial<Record<Interaction, readonly string[]>>>> = {
  Comedy: {
    no: phrases(
      `Pure stand-up, no crowd work. | No "what do you do for a living" at all. | Sketches only; they never break out of it. | He tells stories and leaves us alone.`,
    ),
    very_little: phrases(
      `Usual stand-up chat with the front row, all friendly. | Five minutes of crowd work at the top, then the show proper. | She checked in with one couple now and then. | Heckles are answered but not invited.`,
    ),
    yes: phrases(
      `Crowd work for half the hour. | He will find out what you do for a living. | Don't sit in the front unless you want to be the bit. | Improv: they need your words, the louder the better. | She remembered all our names until the end.`,
    ),
  },
  Music: {
    no: phrases(
      `A concert: we listen, they play. | No singing along, it would spoil it. | You could hear a pin drop.`,
    ),
    very_little: phrases(
      `Sing-along at the end. | Clapping on two and four, some of us. | They teach you one chorus.`,
    ),
    yes: phrases(
      `They taught us a whole three-part song. | Everybody up for the last reel. | Half the front row was dancing.`,
    ),
  },
  "Children's Shows": {
    no: phrases(`Mine wanted to join in but it isn't that kind of show.`),
    very_little: phrases(`Some "behind you!" and waving. | The children answer questions from their seats.`),
    yes: phrases(
      `My five-year-old got to feed the puppet and has not stopped talking about it. | All the children were on stage by the end. | Shouting, roaring, bubbles: bring energy. | Grown-ups had to do the actions too. | They chose a dad. They always choose a dad.`,
    ),
  },
  "Cabaret and Variety": {
    no: phrases(`Songs and frocks, no picking on people.`),
    very_little: phrases(
      `A wink at the front tables. | One volunteer for a card trick, and he had put his hand up.`,
    ),
    yes: phrases(
      `Front tables are part of the act. | I chose a card, it ended up in my shoe. | Your bald head will be kissed. | Mind-reading on real people, including me. | She took my drink. And drank it.`,
    ),
  },
  Theatre: {
    no: phrases(
      `A proper play, watched in silence. | Intimate, but nobody addresses you. | You feel like a fly on the wall.`,
    ),
    very_little: phrases(
      `They hand you a letter to read, quietly, to yourself. | You are asked to stand when the judge comes in. | One of us was asked to hold a coat.`,
    ),
    yes: phrases(
      `Immersive: you walk about and they talk to you. | We voted on the ending. | I was the jury. All of us were the jury. | You are given a part at the door.`,
    ),
  },
  "Dance, Physical Theatre and Circus": {
    no: phrases(`They dance, we stare. | Nothing for us to do but gasp.`),
    very_little: phrases(`They step over the front row. Literally. | We were asked to pass a rope along.`),
    yes: phrases(
      `A man from row B was lifted into the air. | They got six of us up for the last dance. | I was part of the human pyramid (the base).`,
    ),
  },
  "Spoken Word": {
    no: phrases(`Poems, read. That is all, and it is enough.`),
    very_little: phrases(`We chose the next poem by shouting a number. | Questions at the end if you want.`),
    yes: phrases(`You score the poets with paddles. | Everybody was asked for a story; you can pass.`),
  },
};

export const extras = phrases(`
  Sat {anywhere}. | Went on {weekday}. | First preview, so it may change. | Small room, {seats} seats at most. | My {friend} loved it. | Would go again. | Great show, by the way. | It's hot in there.
  Come early if you want to choose your seat. | Not my thing but well done. | Worth knowing before you book. | 5 stars from me. | He was brilliant. | She was brilliant. | Honestly the best thing I've seen this week & I've seen {seats}!
  Not for me. | Bring a cushion. | Captioned the night we went. | Half full when we went. | My {friend} slept through it. | Late start. | Two for one, so no complaints. | Steep stairs. | Cried a bit. | Laughed until my {friend} told me to stop.
  Saw it in {town} last year too. | Would take my {friend}. | Not sure about the ending. | Lovely staff. | The bar is good.
`);

export const adviceExtras = phrases(`
  Very kind about it. | They ask first and take no for an answer. | Aisle seats are the risky ones. | The back row is fine. | Wear something you can move in. | Different every night, I suppose. | I'd still sit {front}.
  Tell the staff at the door if you'd rather be left out: they are lovely about it. | Don't wear red. | Leave your phone in your pocket. | My {friend} said never again. | It was over quickly.
`);

export const signOffs = phrases(
  `😅 | 😱 | 🙌 | 🎭 | 👏👏👏 | 🫣 | ❤️ | :) | 10/10 | Phew! | You have been warned 🙃 | Enjoy!`,
);

/** Sentences of long notes, in order. */
export const quietStory = phrases(`
  We nearly did not go, because the queue went all the way down the close and it had started to rain.
  I am somebody who sits by the exit and studies the floor, so please read this in that light.
  We were put {anywhere}, which at any other show would have had me looking for the way out.
  The room is tiny, and when the lights went down I could have touched the set.
  About {minutes} in, somebody dropped a glass and nobody on stage so much as blinked.
  There is one long speech straight out to us, but it is to the jury, or to God, and nobody is meant to answer.
  My {friend}, who will volunteer for anything, was quite put out that there was nothing to volunteer for.
  At the interval that is not an interval they move some chairs, and that is as close as they come.
  At the end there is a song, and we listened to it.
  Afterwards they stood at the door with a bucket and thanked each of us, which I found harder than the show.
  So: bring your shyest relative, sit where you like, and unwrap your sweets beforehand.
  I would give it an hour of anybody's afternoon, and I have sat through {seats} of these things since the start of the month.
`);

export const livelyStory = phrases(`
  We nearly did not go, because the queue went all the way down the close and it had started to rain.
  I am somebody who sits by the exit and studies the floor, so please read this in that light.
  About {minutes} in, the lights come up on the audience; that is when you want to be looking at your shoes.
  The performer came down the steps, looked along the row and stopped at the man beside me, who turned out to be a dentist from {town}, which helped nobody.
  My {friend}, who will volunteer for anything, was not chosen and is still cross about it.
  Nothing cruel is said to anybody, and a woman who shook her head was left alone at once.
  The room is tiny, so even the back row is close enough to be asked something.
  On the night we went there were {seats} of us, and I would say seven were spoken to.
  At the end everyone claps along, but by then you will want to.
  I had asked the staff at the door beforehand and they were honest about it.
  If you want to be left alone, sit in the middle of a row, towards the back, and do not wear anything with words on it.
  If you want to be part of it, sit {front} and laugh loudly.
`);

export const noteParts: Grammar = {
  anywhere: phrases(
    `in the front row | in the second row | at the back | on the aisle | in the middle | at the side | right under their noses`,
  ),
  front: phrases(`in the front row | near the stage | on the aisle`),
  friend: phrases(
    `friend | mum | dad | partner | sister | brother | husband | wife | flatmate | gran | teenager | boss`,
  ),
  minutes: phrases(
    `five minutes | ten minutes | a good quarter of an hour | a minute or two | what felt like a year`,
  ),
  prop: phrases(
    `wig | cape | trombone | tea towel | crown | cardboard horse | pair of maracas | false moustache`,
  ),
  seats: phrases(`20 | 30 | 35 | 40 | 60 | 80`),
  town: phrases(`Glasgow | Leith | Bristol | Inverness | Leeds | Cork | Cardiff | Perth`),
  weekday: phrases(`Monday | Tuesday | Wednesday | Thursday | Friday | Saturday | Sunday`),
};
