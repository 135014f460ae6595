/** The copilot of ask.sogis as a side bar of QWC2. It works on the map of QWC2 itself. */

import React, { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useSelector, useStore } from "react-redux";
import "@ask-sogis/copilot";
import { OpenLayersMap } from "@ask-sogis/map-actions/openlayers.js";
import { changeLayerProperty, LayerRole } from "qwc2/actions/layers";
import SideBar from "qwc2/components/SideBar";
import ConfigUtils from "qwc2/utils/ConfigUtils";
import LocaleUtils from "qwc2/utils/LocaleUtils";
import MapUtils from "qwc2/utils/MapUtils";
import MiscUtils from "qwc2/utils/MiscUtils";

const ID = "AskCopilot";

/**
 * All of these are the `cfg` of the plugin.
 *
 * endpoint: where ask.sogis is.
 * backgrounds: which background layers of the theme are what the copilot calls "sw", "color" and "ortho", by their names.
 * title, icon, side, width: of the side bar; the title is a text, or the id of a translation.
 */
export default function AskCopilot({ endpoint, backgrounds, title = "Copilot", icon = "search", side = "right", width = "26em" }) {
  const store = useStore();
  const isOpen = useSelector((state) => state.task.id === ID);
  const language = useSelector((state) => state.locale.current?.slice(0, 2));
  const isDark = useSelector((state) => /dark/.test(state.localConfig.colorScheme));
  const [body, setBody] = useState(null);
  const copilot = useRef(null);

  // Who never opens the side bar asks nothing of the server.
  useEffect(() => {
    if (isOpen) setBody((before) => before ?? document.querySelector(`#${ID} .sidebar-body`));
  }, [isOpen]);

  useEffect(() => {
    const element = copilot.current;
    if (!element) return undefined;
    element.map = new OpenLayersMap(MapUtils.getHook(MapUtils.GET_MAP), { backgrounds: layersOf(backgrounds, store) });
    // On iOS, QWC2 stops a touch that scrolls nothing it can see, and it does not see into the element.
    MiscUtils.setupKillTouchEvents(element);
    return () => {
      element.map = null;
    };
  }, [body, backgrounds]);

  // A side bar drops its contents when it closes. In a portal, the conversation stays as it is, and what it has put on the map.
  return (
    <>
      <SideBar id={ID} title={LocaleUtils.tr(title)} icon={icon} side={side} width={width} splitScreen={!ConfigUtils.isMobile()}>
        {() => ({})}
      </SideBar>
      {body &&
        createPortal(
          <ask-copilot
            ref={copilot}
            endpoint={endpoint}
            language={language}
            theme={isDark ? "dark" : "light"}
            style={{ flex: "1 1 100vh", minHeight: 0 }}
          />,
          body,
        )}
    </>
  );
}

function layersOf(names = {}, store) {
  return Object.fromEntries(Object.entries(names).map(([background, name]) => [background, backgroundLayer(name, store)]));
}

/** A background layer that is switched by way of QWC2, which would not keep what it has not switched itself. */
function backgroundLayer(name, store) {
  const layer = () => store.getState().layers.flat.find((each) => each.role === LayerRole.BACKGROUND && each.name === name);
  const getVisible = () => layer()?.visibility === true;
  const setVisible = (isVisible) => {
    // Whatever is said of one background hides all others.
    if (layer() && isVisible !== getVisible()) store.dispatch(changeLayerProperty(layer().id, "visibility", isVisible));
  };
  return { getVisible, setVisible };
}
