import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { COMMAND_LINE_CLIENT } from "../../schemas/oauth-client.ts";
import { OAUTH_PATHS } from "../../schemas/oauth-paths.ts";
import { openChromium } from "../support/chromium.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { OWNER, signInAsFirstOwner } from "../support/first-owner.ts";
import { ask, askTokens, authorizePath, pkce, registered, tokensIn } from "../support/oauth.ts";
import { portOf } from "../support/port.ts";
import { startService } from "../support/service.ts";
import { newApiKey } from "../support/service-process.ts";

const COMMAND_LINE = { id: COMMAND_LINE_CLIENT, clientSecret: null };
const WAIT_MS = 120_000;

/** A program with a web server of its own: where browsers come back to. */
const startProgram = async (): Promise<string> => {
  const server = createServer((_request, response) => response.end("Welcome back")).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${portOf(server)}/callback`;
};

test(
  "a browser leads a person from a program to the consent and back, and lets a device in",
  async () => {
    const apiKey = newApiKey();
    const { service, api } = await startService({ dataDirectory: await temporaryDirectory(), apiKey });
    const url = await service.ready();
    const { context, complaints } = await openChromium();
    const page = await context.newPage();
    await signInAsFirstOwner(page, url, service.stdout);
    // The dashboard would notice that it is signed out.
    await page.goto("about:blank");
    await context.clearCookies();

    const redirectUri = await startProgram();
    const program = await registered(api, { redirectUris: [redirectUri] });
    const { challenge, verifier } = pkce();
    await page.goto(url + authorizePath(program, { redirect_uri: redirectUri, code_challenge: challenge }));
    await page.getByLabel("E-mail address").fill(OWNER.email);
    await page.getByLabel("Password").fill(OWNER.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Wallboard <3").waitFor();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("Welcome back").waitFor();
    const back = new URL(page.url());
    const tokens = await askTokens(url, program, {
      grant_type: "authorization_code",
      code: back.searchParams.get("code") ?? "",
      code_verifier: verifier,
      redirect_uri: redirectUri,
    });
    expect(tokensIn(tokens).scope).toBe("read write");

    const { body: device } = await ask(url, OAUTH_PATHS.deviceCode, COMMAND_LINE, { scope: "read" });
    await page.goto(device.verification_uri);
    await page.getByLabel("Code").fill(device.user_code.toLowerCase());
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText(device.user_code).waitFor();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("is let in").waitFor();
    const polled = await askTokens(url, COMMAND_LINE, {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: device.device_code,
    });
    expect(tokensIn(polled).scope).toBe("read");
    expect(complaints.filter((complaint) => !complaint.includes("status of 404"))).toEqual([]);
  },
  WAIT_MS,
);
