import { z } from "zod";
import { type Asked, allow, type Offer } from "../../access/consent.ts";
import type { AccessParts } from "../../access/parts.ts";
import type { OpenSession } from "../../ports/access.ts";
import type { OAuth } from "./oauth.ts";
import { API } from "./paths.ts";

const USER_CODE_LENGTH = 8;
const Params = z.looseObject({ scope: z.string().optional() });

/** A device that waits for a person. */
export interface WaitingDevice {
  readonly clientId: string;
  readonly scope: string | undefined;
  /** As the device shows it. */
  readonly shownCode: string;
}

/** The characters that count, however they were typed. */
const normalCode = (typed: string): string => typed.toUpperCase().replaceAll(/[^A-Z]/g, "");

const waitingCode = async ({ provider }: OAuth, typed: string) => {
  const userCode = normalCode(typed);
  if (userCode.length !== USER_CODE_LENGTH) return null;
  const code = await provider().DeviceCode.findByUserCode(userCode);
  if (code === undefined || !code.isValid || code.accountId !== undefined || code.error !== undefined)
    return null;
  return code;
};

/** Null: no device that still waits shows this code. */
export const findDevice = async (oauth: OAuth, typed: string): Promise<WaitingDevice | null> => {
  const code = await waitingCode(oauth, typed);
  if (code === null || code.clientId === undefined) return null;
  const { userCode, clientId } = code;
  const shownCode = `${userCode.slice(0, 4)}-${userCode.slice(4)}`;
  return { clientId, scope: Params.parse(code.params).scope, shownCode };
};

/** The person has decided; `offer` null: refused. False: somebody did so before. */
export const decide = async (
  oauth: OAuth,
  access: AccessParts,
  session: OpenSession,
  { device, asked }: { readonly device: WaitingDevice; readonly asked: Asked },
  offer: Offer | null,
): Promise<boolean> => {
  const code = await waitingCode(oauth, device.shownCode);
  if (code === null) return false;
  if (!(await oauth.control.access.oauth.records.claim("DeviceCode", code.jti))) return false;
  if (offer === null) Object.assign(code, { error: "access_denied", errorDescription: "the person said no" });
  else {
    const grantId = await allow(access, session, asked.program, offer);
    const scope = asked.scopes.filter((each) => offer.scopes.includes(each)).join(" ");
    Object.assign(code, { accountId: session.personId, grantId, scope, resource: API });
  }
  await code.save();
  return true;
};
