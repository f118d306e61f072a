import { LegalPage, OperatorEmail, OperatorNotice, type OperatorProps } from "../../legal/legal-page.tsx";
import { InteractionMeanings } from "../../reviews/card/interaction-meanings.tsx";
import { Canonical } from "../site.tsx";

export default function TermsPage({ operator }: OperatorProps) {
  return (
    <LegalPage title="Terms of service" changed="29 November 2026">
      <Canonical path="/terms" />
      <h2>Who runs this site</h2>
      <OperatorNotice operator={operator} />
      <p>
        “We” on this page means whoever is named here. Front Row does not belong to the Fringe, to any
        festival or to any show. The listings come from the Edinburgh Festival City API, and may be wrong or
        out of date.
      </p>

      <h2>What the reviews are</h2>
      <p>
        Reviews tell how much audience interaction a show had. They are what single people remember of one
        evening. Another evening may be different: if it matters to you, ask the venue or the company.
      </p>
      <p>
        Every review counts, whatever its answer. We do not check beforehand that its author was there. We ask
        nobody for reviews in return for something, we pay for none, and we hide none for its answer.
      </p>

      <h2 id="answers">What the answers mean</h2>
      <p>
        Each review answers one question: <q>Did this show involve audience interaction?</q>
      </p>
      <InteractionMeanings />

      <h2>Who may write</h2>
      <p>
        Anybody may read. To sign in and write, you must be 13 or older. Each person has one review of a show.
      </p>

      <h2>What you may write</h2>
      <p>
        Write about a show that you have seen yourself, and about its audience interaction. Please name
        nobody.
      </p>
      <p>
        Fake reviews are banned. A review is fake if you have not seen the show, if you get something for it,
        or if you write it for somebody else. Do not review a show that you work for, or that somebody close
        to you works for.
      </p>

      <h2>What we may remove, and why</h2>
      <p>We may remove a review, or its notes alone, if it</p>
      <ul>
        <li>has personal data: it names or describes somebody, or tells something private about them;</li>
        <li>is illegal, or asks others to do something illegal;</li>
        <li>is abusive: it insults, threatens, harasses or hates, or it is spam or advertising;</li>
        <li>is not about this show;</li>
        <li>is fake, or comes from the company or from somebody who works for it.</li>
      </ul>
      <p>
        Nothing is removed because somebody does not like its answer. Whoever breaks these rules badly or
        repeatedly may be banned: their sessions end, and they cannot sign in again.
      </p>

      <h2>How to report something, or to object</h2>
      <p>
        Press <q>Report</q> at a note, and say which of these rules it breaks; or write to{" "}
        <OperatorEmail operator={operator} />, say which show it is about, and quote the words. You need no
        account. We store no address of whoever reports.
      </p>
      <p>
        A person decides, by these rules alone. Notes that several people report, or that one reports as
        illegal or as personal data, may be hidden until then. Their answer counts all the same.
      </p>
      <p>
        If your notes are hidden, <q>Your reviews</q> says so, and under which rule. You can object there, and
        by e-mail against whatever else we decide about you. Then we look at it afresh, and tell you what we
        decided and why.
      </p>
      <p>
        We look first at what may be illegal or may hurt somebody. We acknowledge every message within 30
        days.
      </p>

      <h2 id="companies">For companies</h2>
      <p>
        What a page says of the listing’s warnings is the company’s own word, as it was registered with the
        festival. Nobody here writes it. To change it, change the registration of your show with the festival;
        this site has it within 12 hours.
      </p>
      <p>
        Companies do not review their own shows, and ask nobody to do it for them: such reviews are fake, and
        may be removed. If a note breaks these rules, press <q>Report</q> at it, as everybody can.
      </p>
      <p>
        There is a badge for your own website, with what most people said. Search for your show, press{" "}
        <q>All notes</q> or <q>Details</q> on its card, and open <q>For your website</q>: there is the HTML to
        copy. The badge follows the reviews within minutes, and it stays, in grey, when the show leaves the
        listing. If your website has a Content-Security-Policy, allow pictures of this site there, and set{" "}
        <code>max-width: 100%</code> for the badge in your own style sheet.
      </p>
      <p>
        Below the HTML stands a short address for flyers. It has the beginning of your show’s long address,
        and leads to the same page.
      </p>

      <h2>Your notes stay yours</h2>
      <p>
        You allow us to store what you write, and to show it on this site and through its public API,
        everywhere in the world and without payment. You may publish it elsewhere, too. This licence ends when
        the review is deleted, which you can have done at any time.
      </p>

      <h2>What we do not promise</h2>
      <p>
        The site costs nothing. It may be unavailable, change or end. Nothing on this page takes away rights
        that the law gives you.
      </p>

      <h2>Changes</h2>
      <p>
        When these terms change, the date at the top changes too. What is stored about you is on the page{" "}
        <a href="/privacy">Privacy policy</a>.
      </p>
    </LegalPage>
  );
}
