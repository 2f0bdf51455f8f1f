import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { me } from "../api/queries.ts";
import { Button, buttonClass } from "../parts/button.tsx";
import style from "../parts/dialog.module.css";
import { Modal } from "../parts/modal.tsx";
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
    <Modal title="You are signed out" close={null}>
      <p>Your session has ended. Sign in in another tab and come back: what you typed here is still there.</p>
      {isStillOut && <p role="alert">You are not signed in yet.</p>}
      <div className={style.buttons}>
        <a className={buttonClass("main")} href="/sign-in" target="_blank" rel="noreferrer">
          Sign in
        </a>
        <Button onClick={() => void goOn()}>Go on</Button>
      </div>
    </Modal>
  );
};
export default SignInAgain;
