import { config } from "zod";

// Before any schema is made: they are checked without code made of text, which the page's policy forbids.
config({ jitless: true });
