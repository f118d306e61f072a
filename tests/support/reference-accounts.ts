import type { VerifiedIdentity } from "../../src/auth/store/link-identity.server.ts";

interface ReferenceUser {
  name: string;
  email: string;
  confirmed: boolean;
  banned: boolean;
  identities: Map<string, { provider: string; email: string; verified: boolean }>;
}

const same = (email: string, other: string) => email.toLowerCase() === other.toLowerCase();

/** The rules of docs/product.md §6.9 and §6.10 in a few lines, for comparison. Users are `user 1`, `user 2` … */
export function createReferenceAccounts() {
  let users: ReferenceUser[] = [];
  let count = 0;
  const bannedIdentities = new Set<string>();
  const keyOf = ({ provider, subject }: Pick<VerifiedIdentity, "provider" | "subject">) =>
    `${provider} ${subject}`;
  const ownerOf = (email: string) => users.find((user) => user.confirmed && same(user.email, email));
  const findByIdentity = (identity: VerifiedIdentity) =>
    users.find(({ identities }) => identities.has(keyOf(identity)));
  const named = (name: string) => users.filter((user) => user.name === name);

  function signInKnown(user: ReferenceUser, identity: VerifiedIdentity): string {
    const { provider, email, emailVerified: verified } = identity;
    if (user.banned) return "banned";
    if (email === null) throw new Error("The reference knows no identities without an e-mail");
    const isOthers = (address: string) => (ownerOf(address) ?? user) !== user;
    user.identities.set(keyOf(identity), { provider, email, verified });
    if (verified && !isOthers(email)) user.email = email;
    const isVerified = [...user.identities.values()].some(
      (one) => one.verified && same(one.email, user.email),
    );
    user.confirmed = isVerified && !isOthers(user.email);
    return user.name;
  }

  function signInNew(identity: VerifiedIdentity): string {
    const { provider, email, emailVerified } = identity;
    if (bannedIdentities.has(keyOf(identity))) return "banned";
    if (email === null || !emailVerified) return "unverified";
    const owner = ownerOf(email);
    if (owner?.banned) return "banned";
    const known = [...(owner?.identities.values() ?? [])].filter((one) => one.provider === provider);
    if (owner && known.length > 0) owner.confirmed = false;
    for (const one of known) if (same(one.email, email)) one.verified = false;
    let user = owner;
    if (!user || known.length > 0) {
      user = { name: `user ${++count}`, email, confirmed: true, banned: false, identities: new Map() };
      users.push(user);
    }
    user.identities.set(keyOf(identity), { provider, email, verified: true });
    return user.name;
  }

  return {
    /** Returns the name of the user, `banned` or `unverified`. */
    signIn(identity: VerifiedIdentity): string {
      const user = findByIdentity(identity);
      return user ? signInKnown(user, identity) : signInNew(identity);
    },
    findUser: (identity: VerifiedIdentity) => findByIdentity(identity)?.name,
    ban(name: string) {
      for (const user of named(name)) user.banned = true;
    },
    unban(name: string) {
      for (const user of named(name)) user.banned = false;
    },
    delete(name: string) {
      for (const { banned, identities } of named(name))
        if (banned) for (const key of identities.keys()) bannedIdentities.add(key);
      users = users.filter((user) => user.name !== name);
    },
    confirmedEmails: () =>
      new Map(users.filter(({ confirmed }) => confirmed).map(({ name, email }) => [name, email])),
  };
}
