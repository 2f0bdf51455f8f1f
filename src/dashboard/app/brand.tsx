import { Link } from "@tanstack/react-router";
import style from "./shell.module.css";

/** Whose dashboard it is, and the way to its beginning; in a narrow window its mark stands for its name. */
export const Brand = () => (
  <Link to="/" className={style.brand}>
    <svg className={style.mark} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <path d="M6 19h4v7H6zM12 14h4v12h-4zM18 9h4v17h-4zM24 5h3v21h-3z" fill="var(--on-accent)" />
    </svg>
    <span className={style.name}>Signal Optimization</span>
  </Link>
);
