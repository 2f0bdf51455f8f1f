import { Dialog, DialogHeading } from "@ariakit/react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { me } from "../api/queries.ts";
import { Button, buttonClass } from "../parts/button.tsx";
import style from "./dialog.module.css";
import { signedOut } from "./signed-out.ts";

/** The session has ended: what was typed on the page stays, and is sent once somebody is signed in again. */
const SignInAgain = () => {
  const queries = useQueryClient();
  const [isStillOut, setStillOut] = useState(false);
  const goOn = async () => {
    try {
      await queries.fetchQuery({ ...me, staleTime: 0 });
      signedOut.set(false);
      setStillOut(false);
      await queries.invalidateQueries();
    } catch {
      setStillOut(true);
    }
  };
  return (
    <Dialog
      open
      hideOnInteractOutside={false}
      hideOnEscape={false}
      className={style.dialog}
      backdrop={<div className={style.backdrop} />}
    >
      <DialogHeading className={style.heading}>You are signed out</DialogHeading>
      <p>Your session has ended. Sign in in another tab and come back: what you typed here is still there.</p>
      {isStillOut && <p role="alert">You are not signed in yet.</p>}
      <div className={style.buttons}>
        <a className={buttonClass("main")} href="/sign-in" target="_blank" rel="noreferrer">
          Sign in
        </a>
        <Button onClick={() => void goOn()}>Go on</Button>
      </div>
    </Dialog>
  );
};
export default SignInAgain;
