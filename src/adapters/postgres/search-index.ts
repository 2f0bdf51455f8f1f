import type { Pool } from "pg";
import type { Telemetry } from "../../ports/telemetry.ts";

/** Everybody else who starts waits here, then finds it made. */
const LOCK = 0x51_67_0a_11;

/**
 * `signal_search` repeats `signal.search` beside an index by trigrams (PostgreSQL's extension pg_trgm). It stands apart,
 * and a trigger keeps it, because a change of a signal's status writes every index of its table anew: with this one among
 * them that takes five times as long. Kept short, the list of what is not sorted in yet costs a search a millisecond.
 */
const MAKE = `
do $$
declare home text;
begin
  perform pg_advisory_xact_lock(${LOCK});
  if to_regclass(quote_ident(current_schema()) || '.signal_search') is not null then return; end if;
  create extension if not exists pg_trgm;
  select quote_ident(nspname) into strict home
    from pg_extension join pg_namespace on pg_namespace.oid = extnamespace where extname = 'pg_trgm';
  lock table signal in share row exclusive mode;
  create table signal_search (
    signal_id text collate "C" primary key references signal (id) on delete cascade,
    account_id text collate "C" not null,
    search text collate "C" not null
  );
  insert into signal_search select id, account_id, search from signal;
  execute format('create index signal_search_by_part on signal_search
    using gin (search %s.gin_trgm_ops) with (gin_pending_list_limit = 256)', home);
  create function keep_signal_search() returns trigger language plpgsql set search_path from current as $keep$
  begin
    if tg_op = 'INSERT' then
      insert into signal_search values (new.id, new.account_id, new.search);
    else
      update signal_search set search = new.search where signal_id = new.id;
    end if;
    return null;
  end $keep$;
  create trigger signal_search_added after insert on signal
    for each row execute function keep_signal_search();
  create trigger signal_search_renamed after update of search on signal
    for each row when (old.search is distinct from new.search) execute function keep_signal_search();
end $$`;

const IS_THERE = `select to_regclass(quote_ident(current_schema()) || '.signal_search') is not null as "isThere"`;

/**
 * Makes the index where the server has the extension and lets this user, and says whether it is there: without it a
 * search is right, and looks at every signal.
 */
export const indexSearch = async (pool: Pick<Pool, "query">, log: Telemetry["log"]): Promise<boolean> => {
  const isThere = async () => (await pool.query<{ isThere: boolean }>(IS_THERE)).rows[0]?.isThere === true;
  if (await isThere()) return true;
  try {
    await pool.query(MAKE);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    log.info({ cause }, "search_unindexed");
  }
  return isThere();
};
