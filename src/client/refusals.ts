import { z } from "zod";
import { Problem } from "../../schemas/problem.ts";
import { Readiness } from "../../schemas/service.ts";

// As they are read: a newer service may say more than this client knows.
const ReadProblem = z.object(Problem.shape);
const ReadReadiness = z.object(Readiness.shape);

/** What a refusal says; undefined: it is none. */
export const readProblem = (body: unknown): Problem | undefined => ReadProblem.safeParse(body).data;
export const readReadiness = (body: unknown): Readiness | undefined => ReadReadiness.safeParse(body).data;
