import type { Seals } from "../../../ports/access.ts";
import type { ControlContext } from "../engine.ts";
import { SealedDataError } from "../sealed.ts";

const ownerOf = (purpose: string): string => `browser ${purpose}`;

export const createSeals = ({ browserSealer }: Pick<ControlContext, "browserSealer">): Seals => ({
  seal: (purpose, text) => Buffer.from(browserSealer.seal(ownerOf(purpose), text)).toString("base64url"),
  open: (purpose, sealed) => {
    try {
      return browserSealer.open(ownerOf(purpose), Buffer.from(sealed, "base64url"));
    } catch (error) {
      if (error instanceof SealedDataError) return null;
      throw error;
    }
  },
});
