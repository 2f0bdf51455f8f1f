import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readConfig } from "../../src/config/config.ts";

const PEM = new URL("../support/tls/", import.meta.url);
const CERT = readFileSync(new URL("cert.pem", PEM), "utf8");
const KEY = readFileSync(new URL("key.pem", PEM), "utf8");
const SECRET = "01".repeat(32);
const FILES: Record<string, string> = {
  secret: `${SECRET}\n`,
  "c.pem": CERT,
  "k.pem": KEY,
  "junk.pem": "junk",
  "wrong.yaml": "hooks: []\n",
};
const read = (environment: Record<string, string>) =>
  readConfig(environment, (path) => {
    const text = FILES[path];
    if (text === undefined) throw new Error("no such file");
    return text;
  });
const mistakesOf = (environment: Record<string, string>) => {
  const outcome = read(environment);
  return "mistakes" in outcome ? outcome.mistakes : [];
};

describe("configuration", () => {
  it("runs embedded on loopback with nothing set", () => {
    const outcome = read({});
    expect(outcome).toMatchObject({
      config: { HOST: "127.0.0.1", PORT: 8080, DATA_DIR: "./data", DEMO: true },
    });
  });

  it("names every mistake at once, with what stands there and what should", () => {
    const mistakes = mistakesOf({ PORT: "eighty", DEMO: "yes", LOG_MAX_BYTES: "1e9", HOST: "0.0.0.0" });
    expect(mistakes.map(({ variable }) => variable).sort()).toEqual([
      "DEMO",
      "HOST",
      "LOG_MAX_BYTES",
      "PORT",
    ]);
    expect(mistakes.find(({ variable }) => variable === "PORT")?.message).toBe(
      '"eighty" must be a port: a whole number from 0 to 65535',
    );
  });

  it("reads what CONFIG_FILE wants for who serves the API, and for nobody else", () => {
    const set = { CONFIG_FILE: "wrong.yaml" };
    const expected = {
      variable: "CONFIG_FILE",
      message: expect.stringMatching(/^wrong\.yaml, line 1: hooks: /),
    };
    expect(mistakesOf(set)).toEqual([expected]);
    expect(mistakesOf({ CONFIG_FILE: "gone.yaml" })).toMatchObject([{ variable: "CONFIG_FILE" }]);
    expect(read({ CONFIG_FILE: "" })).toMatchObject({ config: { declared: null } });
    const engines = { KAFKA_BROKERS: "a:1", DATABASE_URL: "postgres://a/b", CLICKHOUSE_URL: "http://a" };
    const worker = { ...set, ...engines, SECRET_KEY: SECRET };
    const readFile = (path: string) => FILES[path] ?? "";
    expect(readConfig(worker, readFile, "serve")).toEqual({ mistakes: [expected] });
    expect(readConfig(worker, readFile, "ingest")).toMatchObject({ config: { declared: null } });
  });

  it("treats an empty variable as not set", () => {
    expect(read({ PORT: "", DEMO: "" })).toMatchObject({ config: { PORT: 8080, DEMO: true } });
  });

  it.each(["", "-1", "70000", "8080.5", "0x50", "Infinity"].filter((value) => value !== ""))(
    "refuses PORT=%s",
    (PORT) => {
      expect(mistakesOf({ PORT })).toHaveLength(1);
    },
  );

  it("checks keys, secrets and TLS files along with all the rest", () => {
    const environment = {
      PORT: "http",
      SECRET_KEY: "hunter2",
      BOOTSTRAP_API_KEY: "sos_short",
      TLS_CERT_FILE: "c.pem",
      TLS_KEY_FILE: "missing.pem",
    };
    const variables = mistakesOf(environment).map(({ variable }) => variable);
    expect(variables.sort()).toEqual(["BOOTSTRAP_API_KEY", "PORT", "SECRET_KEY", "TLS_KEY_FILE"]);
    expect(mistakesOf({ TLS_CERT_FILE: "c.pem", TLS_KEY_FILE: "junk.pem" })).toHaveLength(1);
    expect(read({ TLS_CERT_FILE: "c.pem", TLS_KEY_FILE: "k.pem" })).toMatchObject({
      config: { tls: { cert: CERT, key: KEY } },
    });
  });

  it("never repeats a secret in a mistake", () => {
    for (const { message } of mistakesOf({ SECRET_KEY: "hunter2", BOOTSTRAP_API_KEY: "hunter2" })) {
      expect(message).not.toContain("hunter2");
    }
  });

  it.each(["0.0.0.0", "192.168.1.4", "::", "example.org"])(
    "refuses %s without TLS or a trusted proxy",
    (HOST) => {
      expect(mistakesOf({ HOST }).map(({ variable }) => variable)).toEqual(["HOST"]);
      const PUBLIC_URL = "https://signals.example.org";
      expect(mistakesOf({ HOST, PUBLIC_URL, TRUST_PROXY: "true" })).toEqual([]);
      expect(mistakesOf({ HOST, PUBLIC_URL, TLS_CERT_FILE: "c.pem", TLS_KEY_FILE: "k.pem" })).toEqual([]);
    },
  );

  it("asks for the address that people know, where it cannot be the one it listens on", () => {
    for (const set of [{ TRUST_PROXY: "true" }, { HOST: "0.0.0.0", TRUST_PROXY: "true" }])
      expect(mistakesOf(set)).toEqual([
        { variable: "PUBLIC_URL", message: expect.stringMatching(/^is not set: where people reach/) },
      ]);
    for (const PUBLIC_URL of ["https://a.example", "https://a.example/", "http://localhost:8080"])
      expect(read({ PUBLIC_URL })).toMatchObject({ config: { PUBLIC_URL: new URL(PUBLIC_URL).origin } });
    for (const PUBLIC_URL of ["http://a.example", "https://a.example/b", "https://u@a.example", "a.example"])
      expect(mistakesOf({ PUBLIC_URL })).toMatchObject([{ variable: "PUBLIC_URL" }]);
  });

  it("sends e-mails where it is told to, by an address of its own", () => {
    const MAIL_FROM = "Noreply@Example.org";
    const mail = (set: Record<string, string>) => {
      const outcome = read(set);
      return "config" in outcome ? outcome.config.mail : outcome.mistakes;
    };
    expect(mail({})).toBeNull();
    expect(mail({ SMTP_URL: "smtp://us:p%40ss@mail.example.org", MAIL_FROM })).toEqual({
      host: "mail.example.org",
      port: 587,
      implicitTls: false,
      requireTls: true,
      login: { user: "us", password: "p@ss" },
      from: "noreply@example.org",
    });
    const whole = read({ SMTP_URL: "smtp://us:p%40ss@mail.example.org", MAIL_FROM });
    expect(() => structuredClone("config" in whole && whole.config)).not.toThrow();
    expect(mail({ SMTP_URL: "smtps://[::1]", MAIL_FROM })).toMatchObject({
      host: "::1",
      port: 465,
      implicitTls: true,
      requireTls: false,
      login: null,
    });
    expect(mail({ SMTP_URL: "smtp://mail.example.org:25" })).toMatchObject([{ variable: "MAIL_FROM" }]);
    expect(mail({ MAIL_FROM })).toMatchObject([{ variable: "MAIL_FROM" }]);
    for (const SMTP_URL of ["mail.example.org", "http://a.example", "smtp://a.example/b", "smtp://"])
      expect(mail({ SMTP_URL, MAIL_FROM })).toMatchObject([{ variable: "SMTP_URL" }]);
    const [wrong] = mistakesOf({ SMTP_URL: "smtp://us:hunter%2@a.example", MAIL_FROM });
    expect(wrong).toMatchObject({ variable: "SMTP_URL" });
    expect(wrong?.message).not.toContain("hunter");
  });

  it("knows the outside providers that it is told of", () => {
    const outside = (set: Record<string, string>) => {
      const outcome = read(set);
      return "config" in outcome ? outcome.config.outside : outcome.mistakes;
    };
    expect(outside({})).toEqual([]);
    const google = {
      OIDC_GOOGLE_ISSUER: "https://accounts.google.com",
      OIDC_GOOGLE_CLIENT_ID: "123.apps",
      OIDC_GOOGLE_CLIENT_SECRET_FILE: "secret",
    };
    const house = {
      OIDC_OUR_HOUSE_ISSUER: "http://localhost:8081/realms/house",
      OIDC_OUR_HOUSE_CLIENT_ID: "signals",
      OIDC_OUR_HOUSE_CLIENT_AUTH: "post",
      OIDC_OUR_HOUSE_NAME: "The House",
    };
    expect(outside({ OIDC_PROVIDERS: "google, our-house", ...google, ...house })).toEqual([
      {
        id: "google",
        name: "Google",
        issuer: "https://accounts.google.com",
        clientId: "123.apps",
        clientSecret: SECRET,
        clientAuth: null,
      },
      {
        id: "our-house",
        name: "The House",
        issuer: "http://localhost:8081/realms/house",
        clientId: "signals",
        clientSecret: null,
        clientAuth: "post",
      },
    ]);
    const wrong = (set: Record<string, string>) => mistakesOf(set).map(({ variable }) => variable);
    expect(wrong({ OIDC_PROVIDERS: "google" })).toEqual(["OIDC_GOOGLE_ISSUER", "OIDC_GOOGLE_CLIENT_ID"]);
    expect(wrong(google)).toEqual(["OIDC_GOOGLE_ISSUER", "OIDC_GOOGLE_CLIENT_ID"]);
    for (const OIDC_PROVIDERS of ["Google", "a,,b", "a,a", "a/b", "x".repeat(21), "a,b,c,d,e,f,g,h,i"])
      expect(wrong({ OIDC_PROVIDERS })).toEqual(["OIDC_PROVIDERS"]);
    const one = { OIDC_PROVIDERS: "google", ...google };
    for (const OIDC_GOOGLE_ISSUER of [
      "http://accounts.example",
      "accounts.google.com",
      "https://a.example/?b",
      "https://user@a.example",
    ])
      expect(wrong({ ...one, OIDC_GOOGLE_ISSUER })).toEqual(["OIDC_GOOGLE_ISSUER"]);
    expect(wrong({ ...one, OIDC_GOOGLE_CLIENT_AUTH: "jwt" })).toEqual(["OIDC_GOOGLE_CLIENT_AUTH"]);
    const twice = { OIDC_PROVIDERS: "google,b", ...google, OIDC_B_CLIENT_ID: "x" };
    expect(mistakesOf({ ...twice, OIDC_B_ISSUER: "https://accounts.google.com/" })).toEqual([
      { variable: "OIDC_B_ISSUER", message: "is that of google, too" },
    ]);
    const both = mistakesOf({ ...one, OIDC_GOOGLE_CLIENT_SECRET: "hunter2" });
    expect(both).toMatchObject([{ variable: "OIDC_GOOGLE_CLIENT_SECRET_FILE" }]);
    expect(JSON.stringify(both)).not.toContain("hunter2");
    // Other workers show no pages: they need not know, and may.
    const engines = { KAFKA_BROKERS: "a:1", DATABASE_URL: "postgres://a/b", CLICKHOUSE_URL: "http://a" };
    const worker = { ...one, ...engines, SECRET_KEY: SECRET };
    expect(readConfig(worker, (path) => FILES[path] ?? "", "ingest")).toMatchObject({
      config: { outside: [] },
    });
  });

  it.each(["localhost", "127.0.0.1", "127.8.0.1", "::1"])("takes %s as it is", (HOST) => {
    expect(mistakesOf({ HOST })).toEqual([]);
  });

  it("asks for the other half of TLS", () => {
    expect(mistakesOf({ TLS_CERT_FILE: "c.pem" })[0]?.variable).toBe("TLS_KEY_FILE");
  });

  it("takes secrets from files, but not from both places", () => {
    expect(read({ SECRET_KEY_FILE: "secret" })).toMatchObject({
      config: { SECRET_KEY: new Uint8Array(32).fill(1) },
    });
    expect(mistakesOf({ SECRET_KEY_FILE: "gone" }).map(({ variable }) => variable)).toEqual([
      "SECRET_KEY_FILE",
    ]);
    const both = { SECRET_KEY_FILE: "secret", SECRET_KEY: SECRET };
    expect(mistakesOf(both).map(({ variable }) => variable)).toEqual(["SECRET_KEY_FILE"]);
  });
});
