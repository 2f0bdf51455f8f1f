import { Combobox, ComboboxItem, ComboboxList, ComboboxProvider } from "@ariakit/react";
import { useQuery } from "@tanstack/react-query";
import { type LinkProps, useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { called, signalsFound } from "../api/queries.ts";
import { Modal } from "../parts/modal.tsx";
import style from "./palette.module.css";

interface Place {
  readonly label: string;
  readonly to: NonNullable<LinkProps["to"]>;
}
const PLACES: readonly Place[] = [
  { label: "Overview", to: "/" },
  { label: "Signals", to: "/signals" },
  { label: "Alerts", to: "/alerts" },
  { label: "Rules", to: "/alerts/rules" },
  { label: "New rule", to: "/alerts/rules/new" },
  { label: "Silences", to: "/alerts/silences" },
  { label: "New silence", to: "/alerts/silences/new" },
  { label: "Integrations", to: "/settings/integrations" },
  { label: "Connect a source", to: "/settings/integrations/new" },
  { label: "Webhooks", to: "/settings/webhooks" },
  { label: "New webhook", to: "/settings/webhooks/new" },
  { label: "API Keys", to: "/settings/api-keys" },
  { label: "OAuth clients", to: "/settings/oauth-clients" },
  { label: "Team", to: "/settings/team" },
  { label: "Access requests", to: "/settings/access-requests" },
  { label: "Audit log", to: "/settings/audit-log" },
  { label: "Security", to: "/settings/security" },
  { label: "Versions", to: "/settings/versions" },
];
const SIGNALS_SHOWN = 8;

/** Any page, and any signal, by a part of its name. */
const Palette = ({ close }: { close: () => void }) => {
  const [text, setText] = useState("");
  const navigate = useNavigate();
  const asked = text.trim();
  const { data } = useQuery({ ...signalsFound(asked), enabled: asked !== "" });
  const places = PLACES.filter(({ label }) => label.toLowerCase().includes(asked.toLowerCase()));
  const signals = asked === "" ? [] : called(data?.signals ?? [], asked).slice(0, SIGNALS_SHOWN);
  const go = (navigation: Promise<void>) => {
    close();
    void navigation;
  };
  /** For who is quicker than the list: the first of it. */
  const goFirst = (event: FormEvent) => {
    event.preventDefault();
    const [place] = places;
    const [signal] = signals;
    if (place !== undefined) go(navigate({ to: place.to }));
    else if (signal !== undefined) go(navigate({ to: "/signals/$id", params: { id: signal.id } }));
  };
  return (
    <Modal title="Go to" isTitleSeen={false} close={close}>
      <ComboboxProvider setValue={setText}>
        <form onSubmit={goFirst}>
          <Combobox
            autoFocus
            autoSelect="always"
            placeholder="Go to a page or a signal"
            className={style.input}
          />
        </form>
        <ComboboxList alwaysVisible className={style.list}>
          {places.map(({ label, to }) => (
            <ComboboxItem
              key={to}
              value={label}
              setValueOnClick={false}
              className={style.item}
              onClick={() => go(navigate({ to }))}
            >
              {label}
            </ComboboxItem>
          ))}
          {signals.map(({ id, name }) => (
            <ComboboxItem
              key={id}
              value={id}
              setValueOnClick={false}
              className={style.item}
              onClick={() => go(navigate({ to: "/signals/$id", params: { id } }))}
            >
              <bdi>{name}</bdi> <span className={style.kind}>signal</span>
            </ComboboxItem>
          ))}
        </ComboboxList>
      </ComboboxProvider>
    </Modal>
  );
};
export default Palette;
