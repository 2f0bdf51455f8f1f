import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";
import { normalPassword, passwordFault } from "../domain/access/password-rules.ts";

/** Of a longer text its beginning says enough, and the whole would take seconds. */
const LOOKED_AT_MAX = 64;
/** 3 of 4: a thief of the hashes would need more than 10^8 guesses. */
const SCORE_MIN = 3;

let estimator: ZxcvbnFactory | null = null;
/** Made when it is first asked: to rank its words takes a while, and few starts need it. */
const score = (text: string, words: readonly string[]): number => {
  estimator ??= new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  return estimator.check(text, [...words]).score;
};

/** Why a text is no password to choose; null: it is a good one. `about`: what an attacker who knows the person tries. */
export const chosenPasswordFault = (text: string, about: readonly string[]): string | null => {
  const fault = passwordFault(text);
  if (fault !== null) return fault;
  const words = [
    "signal",
    "optimization",
    "service",
    ...about.flatMap((word) => [word, ...word.split(/[@.+_-]/)]),
  ];
  if (score(normalPassword(text).slice(0, LOOKED_AT_MAX), words) >= SCORE_MIN) return null;
  return "is too easy to guess: take several unrelated words, or let a password manager make one";
};
