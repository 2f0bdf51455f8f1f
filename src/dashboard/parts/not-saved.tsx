import { useMutation } from "@tanstack/react-query";
import { ApiError } from "../../client/failures.ts";
import { Button } from "./button.tsx";
import style from "./problem.module.css";
import { Problem } from "./problem.tsx";

interface NotSavedProps {
  readonly error: Error;
  /** Puts what is stored in place of what was typed. */
  readonly load: () => Promise<void>;
}

/** Why a form was not saved; where somebody else has saved meanwhile, with a way to what is there now. */
export const NotSaved = ({ error, load }: NotSavedProps) => {
  const loading = useMutation({ mutationFn: load });
  if (!(error instanceof ApiError) || error.code !== "precondition_failed") return <Problem error={error} />;
  return (
    <>
      <div className={style.problem} role="alert">
        <p>
          <strong>▲ It was changed meanwhile, and what you typed is not saved.</strong> Keep a copy of what
          you need of it, load what is there now, and change that.
        </p>
        <p>
          <Button disabled={loading.isPending} onClick={() => loading.mutate()}>
            Load what is there now
          </Button>
        </p>
      </div>
      {loading.error !== null && <Problem error={loading.error} />}
    </>
  );
};
