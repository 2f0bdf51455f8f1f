import type { ComponentProps } from "react";
import style from "./button.module.css";

type Kind = "main" | "second" | "danger" | "quiet";

export const Button = ({ kind = "second", ...rest }: ComponentProps<"button"> & { kind?: Kind }) => (
  <button type="button" {...rest} className={`${style.button} ${style[kind]} ${rest.className ?? ""}`} />
);
export const buttonClass = (kind: Kind): string => `${style.button} ${style[kind]}`;
