import { hash } from "node:crypto";
import { IdentityId, type PersonId } from "../../../../schemas/common.ts";
import { ulid } from "../../../domain/ids.ts";
import type { Identities, LinkedIdentity } from "../../../ports/access.ts";
import type { OutsideIdentity } from "../../../ports/outside-providers.ts";
import type { ControlContext } from "../engine.ts";
import { personOf } from "./people.ts";

/** The same whenever it is asked for: when it was linked, and 80 bits of SHA-256 over what it is. */
const idOf = ({ issuer, subject }: OutsideIdentity, createdAt: number): IdentityId =>
  IdentityId.parse(`idn_${ulid(createdAt, hash("sha256", `${issuer}\n${subject}`, "buffer"))}`);

export const createIdentities = ({ db, clock }: ControlContext): Identities => ({
  personOf: async ({ issuer, subject }) => {
    const row = await db
      .selectFrom("outside_identity")
      .innerJoin("person", "person.id", "outside_identity.person_id")
      .selectAll("person")
      .where("issuer", "=", issuer)
      .where("subject", "=", subject)
      .executeTakeFirst();
    return row === undefined ? null : personOf(row);
  },
  of: async (personId: PersonId) => {
    const rows = await db
      .selectFrom("outside_identity")
      .select(["issuer", "subject", "created_at"])
      .where("person_id", "=", personId)
      .orderBy("created_at")
      .orderBy("issuer")
      .orderBy("subject")
      .execute();
    return rows.map(
      ({ created_at: createdAt, ...identity }): LinkedIdentity => ({
        ...identity,
        id: idOf(identity, createdAt),
        createdAt,
      }),
    );
  },
  add: async (personId, { issuer, subject }) => {
    const row = { issuer, subject, person_id: personId, created_at: clock.now() };
    const { numInsertedOrUpdatedRows } = await db
      .insertInto("outside_identity")
      .values(row)
      .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
      .executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  },
  remove: async (personId, { issuer, subject }) => {
    const removed = db
      .deleteFrom("outside_identity")
      .where("person_id", "=", personId)
      .where("issuer", "=", issuer)
      .where("subject", "=", subject);
    return (await removed.executeTakeFirst()).numDeletedRows === 1n;
  },
});
