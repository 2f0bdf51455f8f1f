import style from "./account-menu.module.css";

/** What the button of the menu says. */
export const Whose = ({ email }: { email: string }) => (
  <>
    <span className={style.email}>{email}</span> <span aria-hidden="true">▾</span>
  </>
);
