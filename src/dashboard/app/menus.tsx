import { Menu, MenuButton, MenuItem, MenuItemRadio, MenuProvider, MenuSeparator } from "@ariakit/react";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import buttonStyle from "./account-menu.module.css";
import style from "./menus.module.css";
import { KEYS, keys, THEMES, theme, ZONES, zone } from "./preferences.ts";
import { say } from "./toasts.tsx";
import { useTold } from "./told-value.ts";
import { Whose } from "./whose-menu.tsx";

const NAMES = {
  system: "As the system",
  light: "Light",
  dark: "Dark",
  local: "Local time",
  utc: "UTC",
  on: "Keys lead everywhere",
  off: "Keys only in fields",
} as const;

/** The service answers with the way to its sign-in, which is not followed here: anything else is a failure. */
const isSignedOut = async (): Promise<boolean> => {
  try {
    const body = new URLSearchParams();
    const { type } = await fetch("/sign-out", { method: "POST", body, redirect: "manual" });
    return type === "opaqueredirect";
  } catch {
    return false;
  }
};

const signOut = async (): Promise<void> => {
  // Not to be gone back to: whatever is shown is of the account.
  if (await isSignedOut()) location.replace("/sign-in");
  else say("▲ You may still be signed in: the service did not answer. Try again.");
};

const Menus = ({ email }: { email: string }) => {
  const chosenTheme = useTold(theme);
  const chosenZone = useTold(zone);
  const chosenKeys = useTold(keys);
  const navigate = useNavigate();
  const button = useRef<HTMLButtonElement>(null);
  const isOpened = useRef(false);
  // It takes the place of the button that was pressed to have it.
  useEffect(() => {
    if (isOpened.current) return;
    isOpened.current = true;
    button.current?.focus();
    button.current?.click();
  }, []);
  return (
    <MenuProvider>
      <MenuButton ref={button} className={buttonStyle.button}>
        <Whose email={email} />
      </MenuButton>
      <Menu className={style.menu} gutter={6} fixed>
        <MenuItem className={style.item} onClick={() => void navigate({ to: "/settings/security" })}>
          Your sign-in
        </MenuItem>
        <MenuSeparator className={style.line} />
        {THEMES.map((one) => (
          <MenuItemRadio
            key={one}
            name="theme"
            value={one}
            checked={chosenTheme === one}
            className={style.item}
            onClick={() => theme.set(one)}
          >
            {NAMES[one]}
          </MenuItemRadio>
        ))}
        <MenuSeparator className={style.line} />
        {ZONES.map((one) => (
          <MenuItemRadio
            key={one}
            name="zone"
            value={one}
            checked={chosenZone === one}
            className={style.item}
            onClick={() => zone.set(one)}
          >
            {NAMES[one]}
          </MenuItemRadio>
        ))}
        <MenuSeparator className={style.line} />
        {KEYS.map((one) => (
          <MenuItemRadio
            key={one}
            name="keys"
            value={one}
            checked={chosenKeys === one}
            className={style.item}
            onClick={() => keys.set(one)}
          >
            {NAMES[one]}
          </MenuItemRadio>
        ))}
        <MenuSeparator className={style.line} />
        <MenuItem className={style.item} onClick={() => void signOut()}>
          Sign out
        </MenuItem>
      </Menu>
    </MenuProvider>
  );
};
export default Menus;
