"""Hosts whose kind is known, by tier. Data for `tier`, kept apart so that it can be read and corrected as a list.

A name stands for itself and every host below it. Suffixes are the ends of names that only one kind of holder may
register (`gov`, `edu`, `ac.uk`), or that are mostly used by one kind (`coupons`).
"""


def _names(text: str) -> frozenset[str]:
    return frozenset(line for line in text.split() if line)


STRONG_SUFFIX = _names("""
        gov mil edu int gov.uk ac.uk nhs.uk gouv.fr gob.es gob.mx gob.ar gov.br gov.au edu.au gov.in ac.in
        nic.in edu.cn gov.cn ac.cn go.jp ac.jp lg.jp go.kr ac.kr gov.sg edu.sg gc.ca admin.ch gv.at ac.at ac.nz
        govt.nz ac.za gov.za edu.br gov.it gov.pt gov.pl edu.pl gov.tw edu.tw gov.hk edu.hk ac.il gov.il gov.ie
        gov.tr edu.tr gov.vn edu.vn
    """)

STRONG = (
    # official bodies, courts, statistics, standards
    _names("""
        europa.eu who.int un.org worldbank.org imf.org oecd.org oecd-ilibrary.org wto.org iea.org irena.org
        ipcc.ch wmo.int unesco.org unicef.org ilo.org fao.org iaea.org itu.int bis.org ecb.europa.eu
        bundesbank.de destatis.de bundestag.de bund.de bundesregierung.de bsi.bund.de rki.de umweltbundesamt.de
        bundesverfassungsgericht.de insee.fr legifrance.gouv.fr ine.es boe.es istat.it ons.gov.uk parliament.uk
        statcan.gc.ca bankofengland.co.uk federalreserve.gov canada.ca admin.ch bfs.admin.ch cbs.nl
        rijksoverheid.nl rivm.nl scb.se ssb.no dst.dk stat.fi abs.gov.au boj.or.jp jst.go.jp ndl.go.jp iso.org
        iec.ch ietf.org rfc-editor.org w3.org ieee.org nato.int icrc.org cern.ch esa.int eso.org nobelprize.org
        bipm.org riksdagen.se bundesarchiv.de gesetze-im-internet.de
        supremecourt.gov curia.europa.eu echr.coe.int coe.int unfccc.int ipbes.net
    """)
    # peer-reviewed publishers, indexes, archives of research
    | _names("""
        nature.com science.org sciencemag.org cell.com thelancet.com nejm.org bmj.com jamanetwork.com pnas.org
        plos.org elifesciences.org springer.com springeropen.com biomedcentral.com sciencedirect.com
        elsevier.com wiley.com tandfonline.com sagepub.com oup.com academic.oup.com cambridge.org
        royalsocietypublishing.org acs.org rsc.org aps.org iop.org aip.org acm.org usenix.org jstor.org
        annualreviews.org frontiersin.org mdpi.com arxiv.org biorxiv.org medrxiv.org ssrn.com nber.org cepr.org
        doi.org pubmed.ncbi.nlm.nih.gov europepmc.org cochranelibrary.com cochrane.org openreview.net
        aclanthology.org neurips.cc mlr.press jmlr.org crossref.org zenodo.org dblp.org hal.science persee.fr
        openedition.org scielo.br scielo.org cnki.net jstage.jst.go.jp degruyter.com projecteuclid.org ams.org
        copernicus.org
    """)
    # institutes and universities outside the reserved suffixes
    | _names("""
        mpg.de fraunhofer.de helmholtz.de leibniz-gemeinschaft.de dlr.de ethz.ch epfl.ch psi.ch uzh.ch cnrs.fr
        inserm.fr inria.fr sorbonne-universite.fr csic.es cnr.it kit.edu lmu.de tum.de hu-berlin.de fu-berlin.de
        rwth-aachen.de uni-heidelberg.de kuleuven.be tudelft.nl uva.nl ku.dk kth.se uio.no helsinki.fi
        utoronto.ca mcgill.ca ubc.ca britishmuseum.org si.edu loc.gov bl.uk bnf.fr dnb.de
    """)
)

ORDINARY = (
    # encyclopedias, reference works
    _names("""
        wikipedia.org wikisource.org wikidata.org britannica.com treccani.it larousse.fr duden.de
        merriam-webster.com plato.stanford.edu iep.utm.edu encyclopedia.com history.com nationalgeographic.com
        ourworldindata.org statista.com mathworld.wolfram.com scholarpedia.org
    """)
    # newspapers, agencies, broadcasters, magazines with an imprint
    | _names("""
        reuters.com apnews.com afp.com bbc.com bbc.co.uk theguardian.com nytimes.com washingtonpost.com wsj.com
        ft.com economist.com bloomberg.com cnn.com cnbc.com npr.org pbs.org time.com theatlantic.com
        newyorker.com politico.com politico.eu axios.com forbes.com latimes.com usatoday.com aljazeera.com
        spiegel.de zeit.de faz.net sueddeutsche.de tagesschau.de dw.com heise.de golem.de nzz.ch srf.ch
        derstandard.at orf.at lemonde.fr lefigaro.fr liberation.fr france24.com elpais.com elmundo.es rtve.es
        corriere.it repubblica.it ansa.it publico.pt folha.uol.com.br nrc.nl volkskrant.nl nos.nl nikkei.com
        asahi.com mainichi.jp nhk.or.jp scmp.com xinhuanet.com people.com.cn caixin.com thehindu.com
        indiatimes.com abc.net.au smh.com.au cbc.ca theverge.com wired.com arstechnica.com technologyreview.com
        newscientist.com scientificamerican.com quantamagazine.org nature.org phys.org sciencedaily.com
        eurekalert.org spectrum.ieee.org carbonbrief.org
    """)
    # health and science information with editors
    | _names("""
        mayoclinic.org clevelandclinic.org webmd.com healthline.com medlineplus.gov nhs.uk cancer.org drugs.com
        hopkinsmedicine.org
    """)
    # firms and foundations on their own work; documentation of software
    | _names("""
        microsoft.com apple.com google.com ibm.com amazon.com intel.com nvidia.com openai.com anthropic.com
        mozilla.org python.org kernel.org postgresql.org readthedocs.io github.com gitlab.com debian.org
        apache.org mckinsey.com deloitte.com pwc.com brookings.edu rand.org pewresearch.org chathamhouse.org
        cfr.org amnesty.org hrw.org msf.org redcross.org greenpeace.org wwf.org investopedia.com imdb.com
    """)
)

WEAK = (
    # questions and answers, social, self-published
    _names("""
        quora.com reddit.com answers.com stackexchange.com stackoverflow.com zhihu.com zhidao.baidu.com
        baike.baidu.com gutefrage.net yahoo.answers.com brainly.com chegg.com coursehero.com studocu.com
        scribd.com slideshare.net facebook.com x.com twitter.com instagram.com tiktok.com pinterest.com
        linkedin.com youtube.com youtu.be tumblr.com medium.com substack.com blogspot.com wordpress.com
        weebly.com wixsite.com livejournal.com fandom.com wikihow.com ehow.com hubpages.com buzzfeed.com
        boredpanda.com listverse.com ranker.com thoughtco.com bartleby.com sparknotes.com t.me telegram.me
        discord.com vk.com weibo.com tieba.baidu.com note.com ameblo.jp hatenablog.com chiebukuro.yahoo.co.jp
        naver.com
    """)
    # shops, aggregators, mirrors, link services
    | _names("""
        ebay.com etsy.com aliexpress.com alibaba.com walmart.com yelp.com tripadvisor.com booking.com
        glassdoor.com wikimili.com alchetron.com everybodywiki.com infogalactic.com dbpedia.org newsbreak.com
        msn.com bit.ly t.co tinyurl.com example.com example.org example.net dailymail.co.uk thesun.co.uk
        nypost.com infowars.com naturalnews.com zerohedge.com beforeitsnews.com rt.com sputniknews.com
        sites.google.com docs.google.com groups.google.com books.google.com play.google.com gist.github.com
    """)
)

WEAK_SUFFIX = _names("""
        coupons click top buzz xyz icu loan win bid stream gq ml cf tk
    """)
