import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from "oidc-provider";
import { z } from "zod";
import { Scope } from "../../../schemas/api-key.ts";
import { OAuthGrantId } from "../../../schemas/common.ts";
import { findProgram } from "../../access/programs.ts";
import type { OAuthRecordKind, OAuthStore, OpenGrant, StoredRecord } from "../../ports/oauth.ts";
import { metadataOf } from "./client-metadata.ts";
import type { EndGrant } from "./grant-endings.ts";
import { API } from "./paths.ts";

const RECORDS: readonly OAuthRecordKind[] = [
  "AccessToken",
  "AuthorizationCode",
  "ClientCredentials",
  "DeviceCode",
  "Interaction",
  "RefreshToken",
];

const Payload = z.custom<AdapterPayload>((value) => typeof value === "object" && value !== null);

/** The authorization server counts in seconds. */
const seconds = (ms: number): number => Math.floor(ms / 1_000);

/** What is kept nowhere: the authorization server's own session, for who is signed in is told by ours alone. */
class NothingKept implements Adapter {
  async upsert(_id: string, _payload: AdapterPayload): Promise<void> {}
  async find(_id: string): Promise<AdapterPayload | undefined> {
    return undefined;
  }
  async findByUserCode(_userCode: string): Promise<AdapterPayload | undefined> {
    return undefined;
  }
  async findByUid(): Promise<undefined> {}
  async consume(_id: string): Promise<void> {}
  async destroy(_id: string): Promise<void> {}
  async revokeByGrantId(_grantId: string): Promise<void> {}
}

class Clients extends NothingKept {
  readonly #clients: OAuthStore["clients"];
  readonly #secret: string;

  constructor({ clients }: Pick<OAuthStore, "clients">, secret: string) {
    super();
    this.#clients = clients;
    this.#secret = secret;
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const program = await findProgram(this.#clients, id);
    return program === null ? undefined : metadataOf(program, this.#secret);
  }
}

/** Of all scopes each is granted or was refused, so that the person is not asked again. */
const grantPayload = ({
  id,
  clientId,
  personId,
  scopes,
  createdAt,
  expiresAt,
}: OpenGrant): AdapterPayload => ({
  jti: id,
  kind: "Grant",
  iat: seconds(createdAt),
  exp: seconds(expiresAt),
  clientId,
  accountId: personId,
  resources: { [API]: scopes.join(" ") },
  rejected: {
    openid: { scope: ["openid", "offline_access", ...Scope.options].join(" ") },
    resources: { [API]: Scope.options.filter((scope) => !scopes.includes(scope)).join(" ") },
  },
});

class Grants extends NothingKept {
  readonly #grants: OAuthStore["grants"];
  readonly #end: EndGrant;

  constructor({ grants }: Pick<OAuthStore, "grants">, end: EndGrant) {
    super();
    this.#grants = grants;
    this.#end = end;
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const grantId = OAuthGrantId.safeParse(id).data;
    const grant = grantId === undefined ? null : await this.#grants.open(grantId);
    return grant === null ? undefined : grantPayload(grant);
  }

  override async destroy(id: string): Promise<void> {
    await this.#end(OAuthGrantId.parse(id));
  }
}

const payloadOf = (stored: StoredRecord | null): AdapterPayload | undefined => {
  if (stored === null) return undefined;
  const payload = Payload.parse(JSON.parse(stored.content));
  return stored.consumedAt === null ? payload : { ...payload, consumed: seconds(stored.consumedAt) };
};

class Records extends NothingKept {
  readonly #records: OAuthStore["records"];
  readonly #kind: OAuthRecordKind;

  constructor({ records }: Pick<OAuthStore, "records">, kind: OAuthRecordKind) {
    super();
    this.#records = records;
    this.#kind = kind;
  }

  override async upsert(id: string, payload: AdapterPayload): Promise<void> {
    const { exp, clientId = null, grantId, userCode = null } = payload;
    if (exp === undefined) throw new Error(`${this.#kind} without an end`);
    await this.#records.put(id, {
      kind: this.#kind,
      content: JSON.stringify(payload),
      clientId,
      grantId: grantId === undefined ? null : OAuthGrantId.parse(grantId),
      userCode,
      expiresAt: exp * 1_000,
    });
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    return payloadOf(await this.#records.find(this.#kind, id));
  }

  override async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return payloadOf(await this.#records.findByUserCode(userCode));
  }

  /** Of several that redeem it at the same time, wherever, one goes on. */
  override async consume(id: string): Promise<void> {
    if (!(await this.#records.consume(this.#kind, id)))
      throw new errors.InvalidGrant(`${this.#kind} was redeemed by another request`);
  }

  override async destroy(id: string): Promise<void> {
    await this.#records.remove(this.#kind, id);
  }

  override async revokeByGrantId(grantId: string): Promise<void> {
    await this.#records.removeOfGrant(this.#kind, OAuthGrantId.parse(grantId));
  }
}

/** Where the authorization server keeps what it knows. `secret`: one that nobody knows, in place of those of clients. */
export const adapterOn =
  (store: OAuthStore, secret: string, endGrant: EndGrant): AdapterFactory =>
  (name) => {
    if (name === "Client") return new Clients(store, secret);
    if (name === "Grant") return new Grants(store, endGrant);
    const kind = RECORDS.find((record) => record === name);
    return kind === undefined ? new NothingKept() : new Records(store, kind);
  };
