import type { Locator, Page } from "playwright-core";

/** Everything of a page is reached within so many steps. */
const TABS_MAX = 250;

/** How somebody uses a page. */
export interface Hands {
  /** Buttons, links, and choices. */
  press(target: Locator): Promise<void>;
  write(target: Locator, text: string): Promise<void>;
  /** The limit of a chart, by so many steps of 5 dB upwards. */
  raise(slider: Locator, steps: number): Promise<void>;
}

const mouse = (page: Page): Hands => ({
  press: (target) => target.first().click(),
  write: (target, text) => target.first().fill(text),
  raise: async (slider, steps) => {
    const value = async () => Number(await slider.getAttribute("aria-valuenow"));
    const [low, high] = [
      await slider.getAttribute("aria-valuemin"),
      await slider.getAttribute("aria-valuemax"),
    ];
    const wanted = (await value()) + 5 * steps;
    const chart = await slider.locator("..").locator(".u-over").boundingBox();
    const grip = await slider.boundingBox();
    if (chart === null || grip === null) throw new Error("the chart is not to be seen");
    const pxPerDb = chart.height / (Number(high) - Number(low));
    const [x, y] = [grip.x + grip.width / 2, grip.y + grip.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - pxPerDb * (wanted - (await value())), { steps: 5 });
    await page.mouse.up();
  },
});

/** With Tab from wherever the page is, as somebody goes who has no mouse. */
const reach = async (page: Page, target: Locator): Promise<void> => {
  await target.first().waitFor();
  const reached = target.first().and(page.locator(":focus"));
  for (let tabs = 0; tabs < TABS_MAX; tabs++) {
    if ((await reached.count()) > 0) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${target} is not reached by Tab`);
};

/** Of choices that are one group, Tab reaches the one that is chosen, and arrows the others. */
const choose = async (page: Page, target: Locator): Promise<void> => {
  const name = await target.getAttribute("name");
  const group = page.locator(`input[name="${name}"]`);
  await reach(page, group.and(page.locator(":checked")));
  const many = await group.count();
  for (let step = 0; step < many && !(await target.isChecked()); step++)
    await page.keyboard.press("ArrowRight");
};

const keyboard = (page: Page): Hands => ({
  press: async (target) => {
    const type = await target.first().getAttribute("type");
    if (type === "radio") return choose(page, target.first());
    await reach(page, target);
    await page.keyboard.press(type === "checkbox" ? "Space" : "Enter");
  },
  write: async (target, text) => {
    await reach(page, target);
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(text);
  },
  raise: async (slider, steps) => {
    await reach(page, slider);
    for (let step = 0; step < steps; step++) await page.keyboard.press("Shift+ArrowUp");
  },
});

export const HANDS = { mouse, keyboard } as const;
