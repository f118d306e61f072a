import { startFakeIdentityProviders } from "../../../dev/fake-identity-providers/start.ts";
import { writeProgramme } from "../../e2e/support/programme.ts";
import { givenRefresh } from "../../support/given.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { startSite } from "../../support/site.ts";
import { type Front, startFront } from "./front.ts";

/** The built server with the small programme of the browser tests and both fake providers. */
export interface Environment extends AsyncDisposable {
  front: Front;
}

export async function startEnvironment(): Promise<Environment> {
  await using starting = new AsyncDisposableStack();
  const database = await createTestDatabase();
  starting.defer(database.close);
  await writeProgramme(database.db);
  await givenRefresh(database.db);
  const front = await startFront();
  starting.defer(front.close);
  const providers = await startFakeIdentityProviders(front.origin);
  starting.defer(providers.close);
  const site = await startSite({
    DATABASE_URL: database.url,
    ORIGIN: front.origin,
    ...providers.variables,
  });
  starting.defer(async () => void (await site.stop()));
  front.site = site.origin;
  const started = starting.move();
  return { front, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
