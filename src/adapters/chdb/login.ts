import type { IncomingMessage } from "node:http";
import { CODES, Refusal } from "./refusal.ts";

/** Who may ask. */
export interface Login {
  readonly user: string;
  readonly password: string;
}
const loginOf = ({ headers: { authorization = "", ...headers } }: IncomingMessage): Login => {
  const basic = /^Basic (.+)$/.exec(authorization)?.[1];
  if (basic === undefined) {
    const [user = "default", password = ""] = [headers["x-clickhouse-user"], headers["x-clickhouse-key"]];
    return { user: String(user), password: String(password) };
  }
  const [user = "", ...password] = Buffer.from(basic, "base64").toString().split(":");
  return { user, password: password.join(":") };
};

/** Throws what ClickHouse says to whoever has not the right user and password; null lets everybody in. */
export const checkLogin = (request: IncomingMessage, login: Login | null): void => {
  if (login === null) return;
  const { user, password } = loginOf(request);
  if (user === login.user && password === login.password) return;
  const words = "Authentication failed: password is incorrect, or there is no user with such name";
  throw new Refusal(403, CODES.loginFailed, `${user}: ${words}`);
};
