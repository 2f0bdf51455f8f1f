import type { OutsideAnswer, OutsideIdentity, OutsideProviders } from "../../src/ports/outside-providers.ts";

export const ISSUER = "https://elsewhere.example";

/** A provider that answers what it is told to, and remembers what it was asked. */
export class Vouching implements OutsideProviders {
  readonly all = [
    { id: "elsewhere", name: "Elsewhere", issuer: ISSUER },
    { id: "other", name: "Other", issuer: "https://other.example" },
  ];
  readonly asked: { readonly isFresh: boolean; readonly since?: number | null }[] = [];
  answered: OutsideAnswer = { state: "refused" };

  vouchFor(subject: string): OutsideIdentity {
    const identity = { issuer: ISSUER, subject };
    this.answered = { state: "vouched", identity };
    return identity;
  }

  async addressOf(
    _id: string,
    { state, redirectUri }: { state: string; redirectUri: string },
    isFresh: boolean,
  ) {
    this.asked.push({ isFresh });
    const back = new URL(redirectUri);
    back.searchParams.set("state", state);
    return back.href;
  }

  async answer(_id: string, _query: string, _check: object, since: number | null): Promise<OutsideAnswer> {
    this.asked.push({ isFresh: since !== null, since });
    return this.answered;
  }
}
