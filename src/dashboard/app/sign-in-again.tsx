import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { me } from "../api/queries.ts";
import type { Me } from "../api/types.ts";
import { Button, buttonClass } from "../parts/button.tsx";
import style from "../parts/dialog.module.css";
import { Modal } from "../parts/modal.tsx";
import { signedOut } from "./signed-out.ts";

type Who = Pick<Me, "id" | "accountId">;
/** What is shown, and what was typed, is of one person in one account. */
const isSame = (one: Who, other: Who): boolean => one.id === other.id && one.accountId === other.accountId;

/** The session has ended: what was typed on the page stays, and is sent once somebody is signed in again. */
const SignInAgain = () => {
  const queries = useQueryClient();
  const [isStillOut, setStillOut] = useState(false);
  const [other, setOther] = useState<string | null>(null);
  const goOn = async () => {
    try {
      const before = queries.getQueryData(me.queryKey);
      const now = await queries.fetchQuery({ ...me, staleTime: 0 });
      if (before !== undefined && !isSame(before, now)) {
        queries.setQueryData(me.queryKey, before);
        setOther(now.email);
        return;
      }
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
      {other !== null && (
        <p role="alert">
          This page is not of <bdi>{other}</bdi>, who is signed in now, or of another account. Sign in as
          before, or <a href="/">begin anew</a>.
        </p>
      )}
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
