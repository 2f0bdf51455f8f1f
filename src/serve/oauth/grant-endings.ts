import type { IncomingMessage } from "node:http";
import Provider from "oidc-provider";
import type { OAuthGrantId } from "../../../schemas/common.ts";
import { actingName } from "../../access/programs.ts";
import { NOWHERE, type Origin } from "../../ports/audit.ts";
import type { ControlStore } from "../../ports/control-store.ts";

/** Where the requests come from that the authorization server answers, as long as it does. */
export type Origins = Pick<WeakMap<IncomingMessage, Origin>, "get">;

/** How the authorization server ends a grant: under the name of the program whose request it answers. */
export type EndGrant = (id: OAuthGrantId) => Promise<void>;

/** Other than where a program gives a token back, it only does so when a code or a token came twice. */
export const endGrantIn =
  (control: Pick<ControlStore, "access" | "by">, origins: Origins): EndGrant =>
  async (id) => {
    const { ctx } = Provider;
    const { client, route } = ctx?.oidc ?? {};
    if (ctx === undefined || client === undefined) throw new Error("a grant ended without a program");
    const grant = await control.access.oauth.grants.open(id);
    const name = grant === null ? (client.clientName ?? "") : actingName(grant);
    const actor = { kind: "program", id: client.clientId, name } as const;
    const by = control.by({ actor, origin: origins.get(ctx.req) ?? NOWHERE });
    const { grants } = by.access.oauth;
    if (route === "revocation") await grants.end(id);
    else await grants.endReplayed(id);
  };
