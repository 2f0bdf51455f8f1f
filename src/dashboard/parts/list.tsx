import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import style from "./list.module.css";

export const List = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className={style.list} aria-label={label}>
    {children}
  </ul>
);

interface ItemProps {
  readonly mark?: ReactNode;
  readonly title: ReactNode;
  readonly under?: ReactNode;
  readonly children?: ReactNode;
}

/** One of a list: what it is, a line about it, and what can be done with it. */
export const Item = ({ mark, title, under, children }: ItemProps) => (
  <li className={style.item} data-row="">
    {mark}
    <div className={style.main}>
      <div>{title}</div>
      {under !== undefined && <div className={style.under}>{under}</div>}
    </div>
    {children !== undefined && <div className={style.side}>{children}</div>}
  </li>
);

interface MoreProps {
  readonly hasMore: boolean;
  readonly isFetching: boolean;
  readonly more: () => void;
}
export const More = ({ hasMore, isFetching, more }: MoreProps) =>
  hasMore && (
    <div className={style.more}>
      <Button disabled={isFetching} onClick={more}>
        Show more
      </Button>
    </div>
  );
