import { z } from "zod";

export const Scope = z.enum(["read", "write", "admin"]);
export type Scope = z.infer<typeof Scope>;
