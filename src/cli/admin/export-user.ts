import { readUserData } from "../../auth/store/read-user-data.server.ts";
import { CommandError, type Db, findOneUser } from "./command.ts";
import { print } from "./console.ts";

/** `export-user <e-mail or id>`: prints all stored data of one user as JSON, to be handed to that person. */
export async function exportUser(db: Db, emailOrId: string): Promise<number> {
  const { id } = await findOneUser(db, emailOrId);
  const data = await readUserData(db, id);
  if (!data) throw new CommandError(`The user ${emailOrId} is gone already.`);
  print(JSON.stringify(data, null, 2));
  return 0;
}
