/** Less than this out of sight is nothing, in pixels; and more than that is a way to go. */
const NEAR_PX = 16;
const FAR_PX = 96;

import { isStill } from "@ask-sogis/map-actions";

/** Scrolls at once for those who want nothing to move. */
export function behavior(): ScrollBehavior {
  return isStill() ? "instant" : "smooth";
}

/** Says at a scroller of one child whether more is out of sight: `data-above`, `data-below`, `data-far`. To be attached. */
export function saysMore(scroller: HTMLElement): () => void {
  const say = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    const below = scrollHeight - clientHeight - scrollTop;
    scroller.toggleAttribute("data-above", scrollTop > NEAR_PX);
    scroller.toggleAttribute("data-below", below > NEAR_PX);
    scroller.toggleAttribute("data-far", below > FAR_PX);
  };
  const sizes = new ResizeObserver(say);
  for (const element of [scroller, scroller.firstElementChild]) if (element) sizes.observe(element);
  scroller.addEventListener("scroll", say, { passive: true });
  return () => {
    sizes.disconnect();
    scroller.removeEventListener("scroll", say);
  };
}
