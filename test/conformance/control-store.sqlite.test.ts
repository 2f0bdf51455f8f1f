import { controlStoreSuite } from "./control-store.ts";
import { sqliteDatabase } from "./sqlite-database.ts";

controlStoreSuite("SQLite", () => sqliteDatabase());
