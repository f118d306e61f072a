import {
  LegalPage,
  OperatorEmail,
  OperatorNotice,
  type OperatorProps,
  StoredItems,
} from "../../legal/legal-page.tsx";
import { cacheNames, localStorageKeys, personalTables, sessionStorageKeys } from "../../legal/stored-data.ts";
import { Canonical } from "../site.tsx";

export default function PrivacyPage({ operator }: OperatorProps) {
  return (
    <LegalPage title="Privacy policy" changed="27 November 2026">
      <Canonical path="/privacy" />
      <p>
        In short: if you only read, we store nothing about you. If you sign in, we store your e-mail address
        and what you write. Others see your answers and notes, but never whose they are. There are no cookies,
        no advertising and no tracking.
      </p>

      <h2>Who is responsible</h2>
      <OperatorNotice operator={operator} />
      <p>“We” on this page means whoever is named here.</p>

      <h2>If you do not sign in</h2>
      <p>
        If you only read, we store nothing about you. If you report a note, we store the reason and what you
        write with it, and not who you are. Your words stay until 90 days after the decision. Whoever decides
        reads them; the note’s author never does.
      </p>

      <h2>In our database</h2>
      <p>All of this begins when you sign in. The rest of the database has nothing about anybody.</p>
      <StoredItems items={personalTables} />
      <p>
        We ask Google and GitHub for your e-mail address alone, and keep no name, picture or password. Backups
        have copies of what is stored, and are deleted after 31 days. When we restore one, we delete the
        accounts again that were deleted since.
      </p>

      <h2>In your browser</h2>
      <p>
        This site sets no cookies. It keeps only what is strictly necessary for what you ask it to do. That
        needs no consent, so there is no cookie banner.
      </p>
      <h3>Local storage, which all tabs share</h3>
      <StoredItems items={localStorageKeys} />
      <h3>Cache storage, which works without signal</h3>
      <StoredItems items={cacheNames} />
      <h3>Session storage, which ends when you close the tab</h3>
      <StoredItems items={sessionStorageKeys} />

      <h2>Network addresses, and our log</h2>
      <p>
        Our programs count requests and reports by a digest of the network address, in memory and for an hour
        at most, so that nobody floods the site. They store no address and log none. Only a request that could
        not reach them may be in an error log of the machine, with its address.
      </p>
      <p>
        A log says when you signed in, were refused or ended a session, what you reported and what was decided
        about your notes, with your id, so that we can find out what happened when something goes wrong. It
        has no e-mail address and no notes, and is deleted after 90 days. Each start of our programs logs the
        ids of accounts deleted in the last 31 days again, for the case that we restore a backup.
      </p>

      <h2>Who else gets something</h2>
      <ul>
        <li>Everybody: your answers, your notes and their times. Not who wrote them.</li>
        <li>
          Google or GitHub, if you sign in there: that you did. They tell us your id and your e-mail address.
          They work in other countries too, and have privacy policies and cookies of their own.
        </li>
        <li>
          The service that tells us of reports, if we use one: at which show a note was reported and why, and
          perhaps the note. Not who wrote it. Ask us who that is.
        </li>
        <li>
          People who help us to decide, if there are any: reported notes, and what reporters and authors wrote
          about them. Not who they are.
        </li>
        <li>The company that hosts our machine and our backups. It works for us. Ask us who that is.</li>
      </ul>
      <p>Nobody else. We sell nothing, and send no newsletters.</p>

      <h2>What a rule does before a person decides</h2>
      <p>
        When three people who are signed in report your notes, or when one says that they break the law or
        describe a private person, others stop seeing the text at once, before anybody here has looked. Then a
        person decides, and you can object. Limits refuse whoever writes too much. No other decision about you
        is made by a machine.
      </p>

      <h2>Why we may do this</h2>
      <p>
        In the words of the UK GDPR: account, sign-in and reviews are needed for the contract that you make
        with us when you sign in (Article 6(1)(b)). Reports, decisions about them, limits, bans, what we keep
        of a deleted account, the log, the record of what we did by hand and backups are our legitimate
        interest, and that of the people whom notes concern, in a site that is safe and honest (Article
        6(1)(f)).
      </p>

      <h2>Your rights, and how to use them</h2>
      <p>
        “Your reviews” at the top of the list does the first three at once. Or write to us. Before we do
        anything, we ask the e-mail address that you sign in with, and we answer to it alone. We answer within
        a month.
      </p>
      <ul>
        <li>See and take along: all that we store about you, as a file.</li>
        <li>
          Correct: review the show again, without writing to us. Your e-mail address follows the provider’s
          when you sign in again.
        </li>
        <li>
          Delete: a review, or your whole account. An account is gone at once. What stays is named above: for
          30 days keyed hashes of your ids at the providers and of texts that were hidden or decided on, with
          the rules, a quarantine, what your reports came to, and which shows your deleted reviews were of;
          for a day or so how much you wrote; your id in the record of what we did by hand and in the log; and
          backups until they are deleted.
        </li>
        <li>Object, or restrict what we do.</li>
      </ul>

      <h2>Complaints</h2>
      <p>
        If you think that we handle your data wrongly, write to <OperatorEmail operator={operator} />. We
        acknowledge each complaint within 30 days, look into it without delay, and tell you the outcome. You
        can also complain to the{" "}
        <a href="https://ico.org.uk/make-a-complaint/">Information Commissioner’s Office</a> (ICO), the United
        Kingdom’s authority for data protection.
      </p>

      <h2>Children</h2>
      <p>
        To sign in you must be 13 or older. If a younger child has an account here, tell us, and we delete it.
      </p>

      <h2>Changes</h2>
      <p>
        When this page changes, the date at the top changes too. The rules for reviews are on the page{" "}
        <a href="/terms">Terms of service</a>.
      </p>
    </LegalPage>
  );
}
