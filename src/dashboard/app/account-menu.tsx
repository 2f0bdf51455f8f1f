import { lazy, useState } from "react";
import style from "./account-menu.module.css";
import { Lazily } from "./lazily.tsx";
import { Whose } from "./whose-menu.tsx";

const menus = () => import("./menus.tsx");
const Menus = lazy(menus);
const fetched = () => void menus().catch(() => undefined);

/**
 * What is rarely opened is fetched once somebody is about to, and opens as soon as it is there:
 * unless they have gone on by then.
 */
export const AccountMenu = ({ email }: { email: string }) => {
  const [isWanted, setWanted] = useState(false);
  const button = (
    <button
      type="button"
      className={style.button}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={fetched}
      onFocus={fetched}
      onClick={() => setWanted(true)}
      onBlur={() => setWanted(false)}
      onKeyDown={({ key }) => key === "Escape" && setWanted(false)}
    >
      <Whose email={email} />
    </button>
  );
  if (!isWanted) return button;
  return (
    <Lazily meanwhile={button}>
      <Menus email={email} />
    </Lazily>
  );
};
