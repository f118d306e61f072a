/** Shown on `/privacy`. Tests compare the names with the code. */
export interface StoredItem {
  title: string;
  /** Tables or keys. `…` stands for a part that varies. */
  names: readonly string[];
  what: string;
  why: string;
  until: string;
}

export const personalTables: readonly StoredItem[] = [
  {
    title: "Your account",
    names: ["users"],
    what: "An id, the e-mail address that Google or GitHub vouched for and since when, when you first and last signed in, whether you are banned or your reviews are in quarantine, and how many of your reports were dismissed.",
    why: "so that each person has one review of a show. The address makes your accounts at both providers one.",
    until: "until your account is deleted.",
  },
  {
    title: "Your accounts at Google and GitHub",
    names: ["identities"],
    what: "Your id at the provider, your e-mail address there, whether the provider has verified it, and when you signed in with it.",
    why: "to know you again when your address changes.",
    until: "until your account is deleted.",
  },
  {
    title: "Your reviews",
    names: ["reviews"],
    what: "The show, your id, your answer, your notes, when you first sent them, whether we moved the review because the festival listed the show again, and whether, since when and under which rule your notes are hidden or removed. Answer, notes and time are public. Whose they are is not.",
    why: "this is what the site is for.",
    until:
      "until you replace it or have it deleted, until 30 days after we removed it, or until your account is deleted. Earlier versions are not kept. When a show leaves the list, its reviews stay stored, but nobody else sees them.",
  },
  {
    title: "Reviews that were deleted",
    names: ["deleted_reviews"],
    what: "If you or we delete your review or account: the show, your id or a random one in its place, when you first sent the review and when it was deleted. If its notes were hidden, the rule and a keyed hash of the text. Not what it said.",
    why: "so that deleting a review and sending it again neither moves the show to the top of the list nor shows notes that were hidden. This is our legitimate interest.",
    until: "until 30 days after it was deleted.",
  },
  {
    title: "Texts that were hidden or decided on",
    names: ["text_verdicts"],
    what: "If you replace or delete a text that waited hidden for our decision, or if you or we delete your account: keyed hashes of these texts and of those that were hidden or decided on, whether each is shown or under which rule it is hidden, your id or a random one in its place, and when. Not what they said.",
    why: "so that what was decided holds when the same text comes again. This is our legitimate interest.",
    until: "until 30 days after it was deleted or replaced.",
  },
  {
    title: "Accounts that were deleted",
    names: ["deleted_accounts"],
    what: "If you or we delete your account: keyed hashes of your id at each provider and of your verified e-mail address there, whether and since when your reviews were in quarantine, how many of your reports were dismissed, and when it was deleted. If you come back with one of these, your new id stands with the others. Nobody can read your id or address from it; if you sign in again, it tells us that you are back. Who has our whole database with its key can find out whether an account that they know was deleted.",
    why: "so that deleting an account does not undo what protects others from it. This is our legitimate interest.",
    until: "until 30 days after it was deleted.",
  },
  {
    title: "Reports of notes",
    names: ["reports", "report_reasons"],
    what: "If notes are reported: which notes, their author's id, when, the reasons and what was written with them, the ids of those who reported them while signed in, and by which decision we dismissed it. Since when the notes are hidden, and what their author says against it.",
    why: "so that a person can look at it and decide. The author never learns who reported the notes.",
    until:
      "until 90 days after the decision, or, without the words of those who reported it, as long as the text that we kept is there, or until the author's account is deleted. The words of a reporter go with their account, and a random id takes the place of theirs.",
  },
  {
    title: "Decisions about reports",
    names: ["decisions"],
    what: "What we decided about a report, when and why, whether the notes were hidden before, and keyed hashes of their text. Not what it said.",
    why: "so that a mistake can be taken back, and that the decision holds when the same text comes again.",
    until: "as long as the report that it is about.",
  },
  {
    title: "Where you are signed in",
    names: ["sessions"],
    what: "Which provider you signed in with, when that began, when it was last used, and a random key. Nothing about your device or your network.",
    why: "so that you stay signed in. The token before your newest one is accepted for 24 hours, in case the newest one was lost on its way.",
    until:
      "until you sign out or sign in again here, until you have not used it for 90 days, or until 180 days after you signed in. Of more than 20, the one that you have not used for longest goes.",
  },
  {
    title: "Your latest sign-ins",
    names: ["sign_ins"],
    what: "A sign-in that you have come back with: random values, which provider, which address it led to, your id, which session it began and, if Google says so, when you last proved there who you are.",
    why: "to finish the sign-in that you began, and so that only you delete your account. Your browser may ask again when the response was lost.",
    until: "an hour or so.",
  },
  {
    title: "How much you write",
    names: ["review_limits"],
    what: "How many reviews you sent in the last minute, hour and day, with your id, or a random one once your account is deleted.",
    why: "so that nobody floods the list.",
    until: "an hour longer than the time that is counted: about a day, also if your account is deleted.",
  },
  {
    title: "Helpers",
    names: ["queue_links"],
    what: "If you help us to decide about reports: the name that we gave you, and when your link was made and ends. A hash of the link, from which nobody can make it.",
    why: "so that you need no account for it, and that we can end it.",
    until: "until 30 days after the link ended. What you decided has your name in what we did by hand.",
  },
  {
    title: "What we did by hand",
    names: ["audit"],
    what: "What we and our helpers did by hand, such as removing a review or deleting an account, that somebody deleted their own, and how often the site had an error: ids, counts and the name of a helper. No e-mail address, no notes.",
    why: "so that we can account for what was done.",
    until: "two years.",
  },
  {
    title: "Bans of deleted accounts",
    names: ["banned_identities"],
    what: "If you were banned and your account was deleted: keyed hashes of your id at the provider and of your verified e-mail address there, and when the ban began. Nobody can read them from it. Who has our whole database with its key can find out whether an account that they know was banned.",
    why: "so that deleting an account does not lift a ban. We use it for nothing but to refuse a sign-in.",
    until: "until we lift the ban, that of the address until 30 days after the account was deleted.",
  },
];

export const localStorageKeys: readonly StoredItem[] = [
  {
    title: "Your session",
    names: ["front-row-session"],
    what: "Your session: tokens that prove to this site who you are, with your own e-mail address and id.",
    why: "so that you stay signed in.",
    until: "until you sign out.",
  },
  {
    title: "Sign-ins that you began here",
    names: [
      "front-row-session-code-verifier",
      "front-row-session-flow-…-code-verifier",
      "front-row-session-flows-code-verifier",
    ],
    what: "Random values of the sign-ins that you began here.",
    why: "so that only this browser can finish them.",
    until: "until you are signed in, or sign out.",
  },
  {
    title: "That somebody signed out",
    names: ["front-row-signed-out"],
    what: "Only that somebody signed out here.",
    why: "so that the provider asks the next person which account to use.",
    until: "until the next sign-in.",
  },
  {
    title: "Reviews that are not sent yet",
    names: ["front-row-waiting …", "front-row-waiting-until …"],
    what: "A review that had no network and that you want to be sent later: the show, your id, your answer, your notes, and why it was not sent or when it may be.",
    why: "so that it is sent when you are back online.",
    until: "until it is sent, or you discard it or sign out, or your account ends.",
  },
  {
    title: "That you want no saved list",
    names: ["front-row-not-saved"],
    what: "Only that you removed the saved list.",
    why: "so that it is not saved again.",
    until: "until you press Save for offline.",
  },
  {
    title: "A check of the storage",
    names: ["front-row-storage-check", "lswt-…"],
    what: "A row of the letter x, and a random number.",
    why: "to see whether your browser lets the site keep a session.",
    until: "removed at once.",
  },
];

export const cacheNames: readonly StoredItem[] = [
  {
    title: "The list without signal",
    names: ["front-row-saved …"],
    what: "All shows with the counts of their reviews, a few pages and the files of this site. Nothing about you.",
    why: "so that the list opens where your phone has no signal.",
    until: "until you press Remove at the end of a page, or your browser needs the space.",
  },
];

export const sessionStorageKeys: readonly StoredItem[] = [
  {
    title: "What you have typed",
    names: ["front-row-draft …"],
    what: "What you have typed into a review or a report, under your id and that of the show or the note.",
    why: "so that it is not lost when something fails.",
    until: "until it is sent or cancelled, or you sign out.",
  },
  {
    title: "A sign-in under way",
    names: ["front-row-sign-in"],
    what: "On which page you began to sign in, and the random id of that sign-in; then what you came back with: a code that is good for two minutes, in your browser alone.",
    why: "so that a failure is shown there, the code is not in the address bar, and you are signed in though a part of the page was lost.",
    until: "until you are signed in, or the sign-in has failed.",
  },
  {
    title: "The page that you left",
    names: ["front-row-left-page"],
    what: "The page from which you went to sign in: its address, how far you had scrolled, and which show you wanted to review.",
    why: "so that you find it as it was when you are signed in.",
    until: "until you are signed in.",
  },
  {
    title: "Reloads of this page",
    names: ["front-row-reloaded"],
    what: "Which version of the site this tab reloaded itself for.",
    why: "so that it does so only once.",
    until: "until you close the tab.",
  },
  {
    title: "How far you had scrolled",
    names: ["react-router-scroll-positions"],
    what: "How far you had scrolled on each page.",
    why: "so that the Back button leads to the same place.",
    until: "until you close the tab.",
  },
];
