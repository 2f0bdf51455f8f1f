import { Tabs } from "../../parts/tabs.tsx";

export const AlertTabs = () => (
  <Tabs
    label="Alerts"
    tabs={[
      { to: "/alerts", label: "Alerts" },
      { to: "/alerts/rules", label: "Rules" },
      { to: "/alerts/silences", label: "Silences" },
    ]}
  />
);
