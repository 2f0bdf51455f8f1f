import { Link } from "@tanstack/react-router";
import { buttonClass } from "../../parts/button.tsx";

/** What is mainly done where alerts are, by whoever may. */
export const NewRuleLink = () => (
  <Link data-new="" to="/alerts/rules/new" className={buttonClass("main")}>
    New rule
  </Link>
);
