import { useMutation, useQueryClient } from "@tanstack/react-query";
import { SomebodyElse } from "../api/whose.ts";
import { Button, buttonClass } from "../parts/button.tsx";
import style from "../parts/dialog.module.css";
import { Modal } from "../parts/modal.tsx";
import { Problem } from "../parts/problem.tsx";
import { lookWho } from "./look-who.ts";
import { isSignedOut } from "./signed-out.ts";

const NotYet = ({ error }: { error: Error }) => {
  if (error instanceof SomebodyElse)
    return (
      <p role="alert">
        This page is not of <bdi>{error.email}</bdi>, who is signed in now, or of another account. Sign in as
        before, or <a href="/">begin anew</a>.
      </p>
    );
  if (isSignedOut(error)) return <p role="alert">You are not signed in yet.</p>;
  return <Problem error={error} />;
};

/** The session has ended: what was typed on the page stays, and is sent once somebody is signed in again. */
const SignInAgain = () => {
  const queries = useQueryClient();
  const goOn = useMutation({
    mutationFn: lookWho,
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <Modal title="You are signed out" close={null}>
      <p>Your session has ended. Sign in in another tab and come back: what you typed here is still there.</p>
      {goOn.error !== null && <NotYet error={goOn.error} />}
      <div className={style.buttons}>
        <a className={buttonClass("main")} href="/sign-in" target="_blank" rel="noreferrer">
          Sign in
        </a>
        <Button onClick={() => goOn.mutate()}>Go on</Button>
      </div>
    </Modal>
  );
};
export default SignInAgain;
