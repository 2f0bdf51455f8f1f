import { ApiError } from "../../client/failures.ts";
import { ToldValue } from "./told-value.ts";

/** Whoever waits for somebody to say who they are; told whether they did. */
export const proofAsked = new ToldValue<((isProven: boolean) => void) | null>(null);

const isUnproven = (error: unknown): boolean => error instanceof ApiError && error.code === "proof_required";

/** Does something dangerous: where the service wants to know once more who asks, it is asked, and done then. */
export const withProof = async <T>(act: () => Promise<T>): Promise<T> => {
  try {
    return await act();
  } catch (error) {
    if (!isUnproven(error)) throw error;
    const isProven = await new Promise<boolean>((resolve) => proofAsked.set(resolve));
    if (!isProven) throw error;
    return act();
  }
};
